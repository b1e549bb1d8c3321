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

// calls are the requests under way to leaders. A request to a node that no longer leads
// would wait until the link finds that node silent. Its outcome is unknown in any case,
// so it ends early and the next leader is asked.
type calls struct {
	mu   sync.Mutex
	list map[*call]struct{}
}

type call struct {
	leader wire.NodeID
	cancel context.CancelFunc
}

// begin registers a request until end is called.
func (c *calls) begin(leader wire.NodeID, cancel context.CancelFunc) (end func()) {
	one := &call{leader, cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.list == nil {
		c.list = map[*call]struct{}{}
	}
	c.list[one] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.list, one)
	}
}

// hangUp ends the requests to all but the node that leads now.
func (c *calls) hangUp(leads wire.NodeID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.list {
		if one.leader != leads {
			one.cancel()
		}
	}
}

// followed is what follows from another leader being known.
func (g *Group) followed() {
	if leader, ok := g.Leader(); ok {
		g.calls.hangUp(leader)
		if leader != g.cfg.NodeID {
			g.lastLeader.Store(&leader)
		}
	}
	g.leadChange.Fire()
}
