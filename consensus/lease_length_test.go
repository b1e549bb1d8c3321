package consensus

import (
	"testing"
	"time"

	"shoal/consensus/lease"
	"shoal/wire"
)

// TestANewLeaderKnowsTheOldestProgram: a lease of an older program lasts longer.
func TestANewLeaderKnowsTheOldestProgram(t *testing.T) {
	n := newNetwork(t)
	n.cluster(3, nil)
	leader := n.leader()
	for i, version := range []int{wire.Version, wire.Version, lease.ShortSince - 1} {
		put := &wire.Update{Changes: []wire.Change{{PutNode: &wire.Node{ID: nodeName(i), Name: string(nodeName(i)), Version: version}}}}
		if _, err := leader.Propose(within(t, 10*time.Second), &wire.Command{Update: put}); err != nil {
			t.Fatal(err)
		}
	}
	if c := leader.leaseConfig(1); c.Program != lease.ShortSince-1 {
		t.Errorf("it takes the oldest program for one of version %d", c.Program)
	}
}

// An older leader grants longer leases than this program keeps.
func TestALeaseOfAnOlderLeaderIsCutShort(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, func(c *Config) {
		if c.NodeID == nodeName(0) {
			c.Lease = 5 * time.Second // as one that leads grants it
		}
	})
	eventually(t, "node 0 to lead", func() bool {
		l := n.leader()
		if l != nodes[0] {
			_ = l.raft.LeadershipTransfer().Error() // tried again
			return false
		}
		return true
	})
	awaitLeases(t, nodes)
	for range 20 {
		for _, m := range nodes[1:] {
			if left := time.Duration(m.own.Until() - m.ticks.Now()); left > m.cfg.Lease {
				t.Fatalf("%s keeps a lease for %s", m.id, left)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}
