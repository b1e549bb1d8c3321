package consensus

import (
	"testing"
	"time"

	"shoal/wire"
)

// Leases of older programs last longer. If the new leader ignores one, its node answers
// with outdated tasks.
func TestANewLeaderWaitsForTheLeasesOfOlderPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		version int
		want    func(c *Config) time.Duration
	}{
		"all know shorter ones": {ShortLeaseSince, func(c *Config) time.Duration { return c.Lease + c.Lease/10 }},
		"one does not":          {ShortLeaseSince - 1, func(c *Config) time.Duration { return c.FormerLease + c.FormerLease/10 }},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t)
			nodes := n.cluster(3, nil)
			leader := n.leader()
			for i, version := range []int{wire.Version, wire.Version, c.version} {
				put := &wire.Update{Changes: []wire.Change{{PutNode: &wire.Node{ID: nodeName(i), Name: string(nodeName(i)), Version: version}}}}
				if _, err := leader.Propose(within(t, 10*time.Second), &wire.Command{Update: put}); err != nil {
					t.Fatal(err)
				}
			}
			awaitLeases(t, nodes)
			b := leader.newLeaseTable(t.Context(), 1)
			for id, s := range b.nodes {
				if got := time.Duration(s.until - s.heard); got != c.want(&leader.cfg) {
					t.Errorf("%s counts as leased for %s, not %s", id, got, c.want(&leader.cfg))
				}
			}
			// No node keeps a long lease, whichever leader granted it.
			for _, m := range nodes {
				m.own.until.Store(0)
			}
			eventually(t, "leases", func() bool {
				for _, m := range nodes {
					left := time.Duration(m.own.until.Load() - m.now())
					if left > m.cfg.Lease {
						t.Fatalf("%s has a lease for %s", m.id, left)
					}
					if left <= 0 {
						return false
					}
				}
				return true
			})
		})
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
			if left := time.Duration(m.own.until.Load() - m.now()); left > m.cfg.Lease {
				t.Fatalf("%s keeps a lease for %s", m.id, left)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}
