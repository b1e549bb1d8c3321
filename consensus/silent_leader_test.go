package consensus

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"shoal/wire"
)

// A frozen node keeps its connections. A request to it lasted until the link found out, or
// for half of ProposeTimeout.
func TestAWriteGoesToTheNewLeaderWhenTheOldOneIsFrozen(t *testing.T) {
	n := newNetwork(t)
	var frozen atomic.Pointer[wire.NodeID]
	var waiting atomic.Int64
	nodes := n.cluster(3, func(c *Config) {
		call := c.Call
		c.ProposeTimeout = 20 * time.Second
		c.Call = func(ctx context.Context, to wire.NodeID, req *Request) (*Reply, error) {
			if f := frozen.Load(); f != nil && *f == to {
				if len(req.Propose) > 0 {
					waiting.Add(1)
				}
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return call(ctx, to, req)
		}
	})
	old := n.leader()
	awaitLeases(t, nodes)
	frozen.Store(&old.id)
	ended := make(chan error, 2)
	var rest []*member
	for _, m := range nodes {
		if m == old {
			continue
		}
		rest = append(rest, m)
		go func() {
			_, err := m.Propose(within(t, 20*time.Second), addTask("movies"))
			ended <- err
		}()
	}
	eventually(t, "both to wait for the leader", func() bool { return waiting.Load() == 2 })
	n.isolate(old)
	next := n.leader()
	begun := time.Now()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("they were answered %s after another node led", took)
	}
	other := rest[0]
	if other == next {
		other = rest[1]
	}
	// The current leader takes only the stopped node for silent.
	eventually(t, "the leader to know who is silent", func() bool {
		leads, follows := n.leader(), other
		if leads == other {
			follows = next
		}
		if leads.leading.Load() == nil || leads.Silent(follows.id) {
			return false
		}
		return leads.Silent(old.id) && !leads.Silent(leads.id) && !follows.Silent(old.id)
	})
	frozen.Store(nil)
	n.rejoin(old)
	eventually(t, "the old leader to report", func() bool { return !n.leader().Silent(old.id) })
}
