package consensus

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// flights counts the raft futures somebody waits for. Raft may leave futures
// without an answer when it is shut down, so Close lets them land first: while
// raft runs each of them ends, at the latest when the leader steps down for want
// of a majority.
type flights struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n becomes 0; nil while nobody waits
}

func (f *flights) add(d int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n += d; f.n == 0 && f.idle != nil {
		close(f.idle)
		f.idle = nil
	}
}

// wait waits until nothing is under way. False after the timeout.
func (f *flights) wait(timeout time.Duration) bool {
	f.mu.Lock()
	if f.n == 0 {
		f.mu.Unlock()
		return true
	}
	if f.idle == nil {
		f.idle = make(chan struct{})
	}
	idle := f.idle
	f.mu.Unlock()
	select {
	case <-idle:
		return true
	case <-time.After(timeout):
		return false
	}
}

// settle starts an operation of raft and waits for its end, for ctx or for Close.
// The operation goes on when the wait ends early: its outcome is then unknown.
func (g *Group) settle(ctx context.Context, start func() raft.Future) error {
	g.flights.add(1)
	if g.ctx.Err() != nil {
		g.flights.add(-1)
		return wire.ErrClosed
	}
	done := make(chan error, 1)
	go func() { // owned by flights
		defer g.flights.add(-1)
		done <- start().Error()
	}()
	select {
	case err := <-done:
		return condition(err)
	case <-ctx.Done():
		return ctx.Err()
	case <-g.ctx.Done():
		return wire.ErrClosed
	}
}

// condition translates raft's errors.
func condition(err error) error {
	switch {
	case errors.Is(err, raft.ErrNotLeader), errors.Is(err, raft.ErrLeadershipTransferInProgress):
		return wire.ErrNotLeader
	case errors.Is(err, raft.ErrLeadershipLost), errors.Is(err, raft.ErrEnqueueTimeout), errors.Is(err, raft.ErrAbortedByRestore):
		return wire.ErrNoLeader
	case errors.Is(err, raft.ErrRaftShutdown):
		return wire.ErrClosed
	}
	return err
}
