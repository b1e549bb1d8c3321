package consensus

import (
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/raft"
)

// Raft picks the first voter that lacks no entry, and a voter that is gone lacks none while
// nobody writes. The leader then remained the leader, and refused all entries while it
// waited for a frozen node.
func TestALeaderThatStopsHandsOverToANodeThatAnswers(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(5, func(c *Config) { c.FormerLease = 500 * time.Millisecond })
	awaitLeases(t, nodes)
	old := n.leader()
	eventually(t, "all to have applied the same", func() bool {
		for _, m := range nodes {
			if m.raft.AppliedIndex() != old.raft.LastIndex() {
				return false
			}
		}
		return true
	})
	// The first in the list of the voters, which raft would take.
	gone := nodes[0]
	if gone == old {
		gone = nodes[1]
	}
	n.isolate(gone)
	eventually(t, "the leader to miss it", func() bool { return old.Silent(gone.id) })
	if err := old.HandOver(); err != nil {
		t.Fatal(err)
	}
	if id, known := old.Leader(); known && id == old.id {
		t.Fatal("it leads still")
	}
	if next := n.leader(); next == old || next == gone {
		t.Errorf("%s leads", next.id)
	}
	n.rejoin(gone)
}

// The successor may lead before an earlier proof of leadership expires, and may have
// answered writes.
func TestAReadDuringAHandOverNeedsANewProof(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, func(c *Config) { c.HeartbeatTimeout = 2 * time.Second })
	awaitLeases(t, nodes)
	old := n.leader()
	term := old.leading.Load()
	term.verified.Store(old.ticks.Now() + int64(time.Hour)) // good for the whole test
	if err := term.verify(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	n.isolate(old) // nobody hears that it is to lead, so this one does still
	if err := old.HandOver(); err != nil {
		t.Fatal(err)
	}
	if _, leads := old.Leading(); !leads {
		t.Fatal("it does not lead any more")
	}
	if err := term.verify(within(t, 10*time.Second)); err == nil {
		t.Error("it says that it leads, and cannot know")
	}
	n.rejoin(old)
}

// A voter may have voted for another leader since it answered. What it answered before a proof
// began proves nothing, though the answer arrives while the proof is under way.
func TestALateAnswerProvesNothing(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, func(c *Config) { c.HeartbeatTimeout = 2 * time.Second })
	awaitLeases(t, nodes)
	old := n.leader()
	term := old.leading.Load()
	late := make(chan struct{})
	arrive := sync.OnceFunc(func() { close(late) })
	t.Cleanup(arrive) // nodes that wait for answers do not end
	n.mu.Lock()
	n.late = late
	n.mu.Unlock()
	eventually(t, "answers of both followers", func() bool {
		for _, other := range nodes {
			if other != old { // no message is held back, or the leadership ends meanwhile
				old.lull.Lacks(raft.ServerID(other.cfg.NodeID))
			}
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.waiting >= 4 // raft sends heartbeats and commits, one of each at a time
	})
	n.isolate(old)
	proved := make(chan error, 1)
	ctx := within(t, 10*time.Second)
	go func() { proved <- term.prove(ctx) }()
	eventually(t, "a proof", func() bool { return !old.raft.inFlight.wait(0) })
	arrive()
	if err := <-proved; err == nil {
		t.Error("it says that it leads, and cannot know")
	}
	n.mu.Lock()
	n.late = nil
	n.mu.Unlock()
	n.rejoin(old)
}
