package consensus

import (
	"testing"
	"time"

	"shoal/wire"
)

func TestContactTellsSinceWhenANodeIsLostToFormerLeaders(t *testing.T) {
	var c contact
	check := func(what string, term uint64, now, want int64) {
		t.Helper()
		if got := c.quiet(term, now); got != want {
			t.Errorf("%s: %d instead of %d", what, got, want)
		}
	}
	check("since it was opened", 1, 40, 40)
	c.hear(3, 100)
	c.hear(3, 200)
	check("in the term of that leader", 3, 250, 250)
	check("in the next one", 4, 250, 50)
	c.hear(5, 300)
	check("whose leader it has heard", 5, 350, 150)
	check("and in the one after", 6, 350, 50)
	check("in an older one it knows nothing", 4, 350, 0)
	c.hear(3, 400) // late
	check("an old leader's answer was under way", 5, 450, 50)
	c.ceased(500)
	check("it led itself", 6, 520, 20)
}

func TestFormerLeasesEndWithTheLastOfAMajorityThatHeardFromTheirLeaders(t *testing.T) {
	f := former{length: 1000, voters: []wire.NodeID{"a", "b", "c"}, moments: map[wire.NodeID]int64{"a": 5000}}
	if _, ok := f.learn("stranger", 800, 6000); ok {
		t.Error("who does not vote counts")
	}
	if _, ok := f.learn("b", 0, 6000); ok {
		t.Error("who knows nothing counts")
	}
	if until, ok := f.learn("b", 800, 6000); !ok || until != 5200+1000 {
		t.Errorf("a majority of two: %d %t", until, ok)
	}
	if until, ok := f.learn("b", 900, 6050); !ok || until != 5150+1000 {
		t.Errorf("it says it more exactly: %d %t", until, ok)
	}
	// Another majority, which has not heard from them for longer.
	if until, ok := f.learn("c", 2000, 6100); !ok || until != 5000+1000 {
		t.Errorf("all three: %d %t", until, ok)
	}
	f.changed = 5900
	if until, ok := f.learn("c", 2000, 6150); !ok || until != 5900+1000 {
		t.Errorf("the voters changed just now: %d %t", until, ok)
	}
}

// The leases of the dead leader were counted from the beginning of the next term, although
// nobody had renewed them since its death. No node may count as not leased while it holds a
// lease.
func TestWritesWaitForAWholeLeaseAfterTheElection(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, func(c *Config) {
		c.HeartbeatTimeout, c.Lease, c.FormerLease = 300*time.Millisecond, 900*time.Millisecond, 250*time.Millisecond
	})
	saved := 0
	for round := range 5 {
		awaitLeases(t, nodes)
		eventually(t, "the voters to be known for a while", func() bool { return n.leader().now() > int64(600*time.Millisecond) })
		old := n.leader()
		if round%2 == 0 {
			n.isolate(old)
		} else {
			n.silence(old) // it hears no reports; raft goes on until the transfer
			_ = old.raft.LeadershipTransfer().Error()
		}
		next := n.leader()
		l := next.leading.Load()
		eventually(t, "the former leases to be over", func() bool {
			for _, m := range nodes {
				l.leases.mu.Lock()
				s := l.leases.nodes[m.id]
				held, counted := int64(0), int64(0)
				if s != nil && s.given == 0 {
					held, counted = m.own.until.Load()+int64(m.opened), s.until+int64(next.opened)
				}
				l.leases.mu.Unlock()
				if held > counted {
					t.Errorf("round %d: %s holds a lease for %s after the leader stopped waiting for it", round, m.id, time.Duration(held-counted))
				}
			}
			l.leases.mu.Lock()
			defer l.leases.mu.Unlock()
			return next.now() >= l.leases.nodes[old.id].until
		})
		l.leases.mu.Lock()
		if s := l.leases.nodes[old.id]; s.given == 0 && time.Duration(s.until-s.heard) < 800*time.Millisecond {
			saved++
		}
		l.leases.mu.Unlock()
		n.rejoin(old)
	}
	if saved == 0 {
		t.Error("every leader waited for a whole lease")
	}
}

// Four leases were six seconds, until leases became shorter.
func TestAPauseOfFiveSecondsDoesNotDelayAVote(t *testing.T) {
	n := newNetwork(t)
	leader := n.cluster(1, func(c *Config) { c.Lease = 900 * time.Millisecond })[0]
	b := &leaseTable{leaseClock: leader.leaseClock, cfg: &leader.cfg, lease: int64(leader.cfg.Lease), nodes: map[wire.NodeID]*standing{}}
	for id, pause := range map[wire.NodeID]time.Duration{"paused": 5 * time.Second, "gone": 7 * time.Second} {
		b.nodes[id] = &standing{kept: 1, index: 10, spoke: leader.now() - int64(pause)}
	}
	b.keepingUp(10, 0)
	if b.nodes["paused"].kept == 0 {
		t.Error("a pause of five seconds")
	}
	if b.nodes["gone"].kept != 0 {
		t.Error("a pause of seven seconds")
	}
}
