package coordinator

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"shoal/api/apierr"
	"shoal/wire"
	"shoal/wire/await"
)

// StoreFigures is an optional interface of a Catalog.
type StoreFigures interface{ StoredTasks() uint64 }

// Differing is an optional interface of a Catalog. ChangedSince lists the indexes that changed
// since an earlier catalogue, by id; ok is false when it cannot tell.
type Differing interface {
	ChangedSince(earlier any) (changed []*wire.Index, ok bool)
}

// CopyFigures is an optional interface of a Catalog. Copies counts the copies of shards on each
// node; the map belongs to the caller.
type CopyFigures interface{ Copies() map[wire.NodeID]int }

// ErrFenced: the log refused a commit. The caller must plan again.
var ErrFenced = errors.New("coordinator: the commit was refused")

// Propose appends a change that a client makes outside of any batch. It returns when every node
// shows the change. While no leader is known it retries under one request id.
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

// EnqueueFor bounds the retries of a proposal without a leader. Clients get their error within
// 5 s.
const EnqueueFor = 4500 * time.Millisecond

// Backoff waits a little longer after each attempt, at most 250 ms.
func Backoff(ctx context.Context, attempt int) error {
	return await.Sleep(ctx, min(5*time.Millisecond<<min(attempt, 10), 250*time.Millisecond))
}

// MaxStoredTasks bounds the task queue. The oldest finished tasks are deleted long before (spec
// tasks-auth-ops-api 4.2), so only unfinished tasks can reach it. It is about what 40 % of the
// reference's task store hold.
const MaxStoredTasks = 2_000_000
