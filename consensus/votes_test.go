package consensus

import (
	"slices"
	"testing"
	"time"

	"shoal/consensus/voters"
	"shoal/wire"
)

// drain marks a node as an operator does.
func (s *society) drain(id wire.NodeID) {
	s.t.Helper()
	d, ok := s.leader().Catalog().Node(id)
	if !ok {
		s.t.Fatalf("%s is no member", id)
	}
	marked := *d
	marked.Draining = true
	if _, err := s.leader().Propose(within(s.t, 10*time.Second), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutNode: &marked}}}}); err != nil {
		s.t.Fatal(err)
	}
}

// keepsUp tells whether this node, which leads, counts another one as caught up.
func (m *member) keepsUp(id wire.NodeID) bool {
	l := m.leading.Load()
	if l == nil {
		return false
	}
	l.leases.KeepingUp(m.raft.LastIndex(), m.cfg.Membership.MaxLag)
	return slices.ContainsFunc(l.members.votes.assess(), func(s voters.Member) bool { return s.ID == id && s.Kept > 0 })
}

// voters are those that the leader counts.
func (s *society) voters() []wire.NodeID { return s.leader().Stats().Voters }

// looks waits until the leader has checked the membership a few times.
func (s *society) looks() { time.Sleep(200 * time.Millisecond) } // twenty intervals

// The drain of one of three nodes once left a single vote. When that node died, two sound
// ones could not write.
func TestADrainingNodeOfThreeVotesUntilItLeaves(t *testing.T) {
	s := newSociety(t)
	s.three()
	lead := s.leader()
	others := slices.DeleteFunc(s.running(), func(m *member) bool { return m == lead })
	s.drain(others[0].id)
	s.looks()
	if v := s.voters(); len(v) != 3 {
		t.Fatalf("%d votes while a node drains", len(v))
	}
	s.network.stop(lead)
	if _, err := others[1].Propose(within(t, 20*time.Second), addTask("movies")); err != nil {
		t.Fatalf("a write while one of three drains and one is dead: %v", err)
	}
}

func TestAVoteIsHandedOverBeforeItsNodeIsRemoved(t *testing.T) {
	s := newSociety(t)
	s.three()
	s.enter(3, "d")
	eventually(t, "a fourth member that has caught up", func() bool {
		return s.leader().keepsUp(nodeName(3)) && len(s.voters()) == 3
	})
	victim := slices.DeleteFunc(s.running(), func(m *member) bool { return m == s.leader() || m.id == nodeName(3) })[0]
	s.drain(victim.id)
	stop := make(chan struct{})
	fewest := make(chan int)
	go func() {
		least := 99
		for {
			for _, g := range s.groups() {
				least = min(least, len(g.Stats().Voters))
			}
			select {
			case <-stop:
				fewest <- least
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	err := s.leader().Remove(within(t, 20*time.Second), victim.id)
	close(stop)
	if least := <-fewest; err != nil || least < 3 {
		t.Errorf("there were %d votes: %v", least, err)
	}
	eventually(t, "three votes with the successor's", func() bool {
		v := s.voters()
		return len(v) == 3 && slices.Contains(v, nodeName(3)) && !slices.Contains(v, victim.id)
	})
}

// The removal of a dead node once left a single vote.
func TestTwoNodesOfThreeHoldTwoVotesOnceADeadOneIsRemoved(t *testing.T) {
	s := newSociety(t)
	s.three()
	dead := s.leader()
	s.network.stop(dead)
	if err := s.leader().Remove(within(t, 20*time.Second), dead.id); err != nil {
		t.Fatal(err)
	}
	s.looks()
	l := s.leader()
	if v := l.Stats().Voters; len(v) != 2 || l.Catalog().Votes() != 2 {
		t.Fatalf("%d votes, %d recorded", len(v), l.Catalog().Votes())
	}
	// An entry needs both: one node alone acknowledges nothing.
	other := slices.DeleteFunc(s.running(), func(m *member) bool { return m == l })[0]
	s.network.stop(other)
	if _, err := l.Propose(within(t, time.Second), addTask("movies")); err == nil {
		t.Error("one disk of two was enough for a write")
	}
}

func TestASecondNodeGetsAVoteAndGivesItBackWhenItIsRemoved(t *testing.T) {
	s := newSociety(t)
	s.enter(0, "a", nodeName(0))
	s.leader()
	s.enter(1, "b")
	eventually(t, "two votes", func() bool { return len(s.voters()) == 2 })
	if err := s.leader().Remove(within(t, 20*time.Second), nodeName(1)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "one vote", func() bool { v := s.voters(); return len(v) == 1 && s.leader().Catalog().Votes() == 1 })
	s.network.stop(s.network.nodes[nodeName(1)])
	if _, err := s.leader().Propose(within(t, 20*time.Second), addTask("movies")); err != nil {
		t.Error(err)
	}
}

// The only member that could take over the vote has not caught up.
func TestAVoteWithoutASuccessorIsNotRemoved(t *testing.T) {
	s := newSociety(t)
	s.three()
	d := s.enter(3, "d")
	eventually(t, "a fourth member", func() bool { return len(s.leader().Stats().Nonvoters) == 1 })
	s.network.stop(d)
	lead := s.leader()
	victim := slices.DeleteFunc(s.running(), func(m *member) bool { return m == lead })[0]
	eventually(t, "the fourth member to be missed", func() bool { return !lead.keepsUp(d.id) })
	err := lead.Remove(within(t, 20*time.Second), victim.id)
	if err == nil || !lead.raft.member(victim.id) {
		t.Fatalf("the vote is gone: %v", err)
	}
	t.Log(err)
	if err := lead.Remove(within(t, 20*time.Second), d.id); err != nil {
		t.Errorf("the member that is in the way: %v", err)
	}
	if err := lead.Remove(within(t, 20*time.Second), victim.id); err != nil {
		t.Errorf("the vote that nobody could take over: %v", err)
	}
}
