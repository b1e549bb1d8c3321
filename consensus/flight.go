package consensus

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// inFlight counts the raft futures that somebody waits for. Raft may leave futures without
// an answer when it is shut down, so Close waits for them first. While raft runs, each of
// them ends, at the latest when the leader steps down because it has lost its majority.
type inFlight struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n becomes 0; nil while nobody waits
}

func (f *inFlight) add(d int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n += d; f.n == 0 && f.idle != nil {
		close(f.idle)
		f.idle = nil
	}
}

// wait waits until no future is open. It returns false after the timeout.
func (f *inFlight) wait(timeout time.Duration) bool {
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

// await starts an operation of raft and waits until it ends, or ctx ends, or the group is
// closed. If the wait ends early, the operation continues and its outcome is unknown.
func (g *Group) await(ctx context.Context, start func() raft.Future) error {
	g.inFlight.add(1)
	if g.ctx.Err() != nil {
		g.inFlight.add(-1)
		return wire.ErrClosed
	}
	done := make(chan error, 1)
	go func() { // owned by inFlight
		defer g.inFlight.add(-1)
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

// calls are the open requests to leaders. A request to a node that no longer leads would
// wait until the link finds that node silent. Its outcome is unknown in any case, so it is
// ended early and the next leader is asked.
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

// followed is called when another leader has become known.
func (g *Group) followed() {
	if leader, ok := g.Leader(); ok {
		g.calls.hangUp(leader)
		if leader != g.cfg.NodeID {
			g.lastLeader.Store(&leader)
		}
	}
	g.leadChange.Fire()
}
