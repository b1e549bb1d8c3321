package coordinator

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"shoal/api/apierr"
	"shoal/wire"
)

// Sleep waits for d and tells whether ctx is still alive.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// StoreFigures is what a catalogue may know beyond Catalog.
type StoreFigures interface{ StoredTasks() uint64 }

// Differing is a catalogue that tells what has changed since an earlier one, in the order of
// ids; ok is false when it cannot tell.
type Differing interface {
	ChangedSince(earlier any) (changed []*wire.Index, ok bool)
}

// CopyFigures is what a catalogue may have counted: the copies of shards on each node, in
// a map that is the caller's.
type CopyFigures interface{ Copies() map[wire.NodeID]int }

// ErrFenced: the log refused a commit; the plan is made anew.
var ErrFenced = errors.New("coordinator: the commit was refused")

// Propose appends what a client changes outside of any batch, and returns when
// every node shows it. It is retried under one request id while no leader is known.
func Propose(ctx context.Context, log Log, update *wire.Update) (*wire.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, EnqueueFor)
	defer cancel()
	update.RequestID, update.Everywhere = uuid.NewString(), true
	for attempt := 0; ; attempt++ {
		r, err := log.Propose(ctx, &wire.Command{Update: update})
		switch {
		case err == nil:
			return r, nil
		case !errors.Is(err, wire.ErrNoLeader) && !errors.Is(err, wire.ErrNotLeader):
			return nil, err
		}
		if Backoff(ctx, attempt) != nil {
			return nil, apierr.NoLeader()
		}
	}
}

// EnqueueFor is how long an enqueue is retried without a leader: clients are told
// within 5 s.
const EnqueueFor = 4500 * time.Millisecond

// Backoff waits a little longer after each attempt, at most 250 ms.
func Backoff(ctx context.Context, attempt int) error {
	t := time.NewTimer(min(5*time.Millisecond<<min(attempt, 10), 250*time.Millisecond))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// MaxStoredTasks is where the queue is full. The oldest finished tasks are deleted
// long before (spec tasks-auth-ops-api 4.2), so it is reached by unfinished ones
// only; about what 40 % of the reference's task store hold.
const MaxStoredTasks = 2_000_000
