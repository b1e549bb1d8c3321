package consensus

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"shoal/api/apierr"
	"shoal/consensus/voters"
	"shoal/text/dictionary"
	"shoal/wire"
)

// society is a network whose nodes have names and addresses.
type society struct {
	*network
	mu       sync.Mutex
	names    map[wire.NodeID]string
	moved    map[wire.NodeID]bool // has another address than others of its name
	verdicts map[wire.NodeID][]Verdict
	words    dictionary.Set      // that all nodes have
	versions map[wire.NodeID]int // of their programs, if not this one's
}

func newSociety(t *testing.T) *society {
	return &society{network: newNetwork(t), names: map[wire.NodeID]string{}, moved: map[wire.NodeID]bool{}, verdicts: map[wire.NodeID][]Verdict{}, versions: map[wire.NodeID]int{}}
}

func (s *society) nominees() []wire.Node {
	var list []wire.Node
	for _, m := range s.running() {
		s.mu.Lock()
		n := wire.Node{ID: m.id, Name: s.names[m.id], PeerAddr: s.names[m.id], Voter: true, Data: true, Version: wire.Version, Dictionaries: s.words}
		if version, older := s.versions[m.id]; older {
			n.Version = version
		}
		if s.moved[m.id] {
			n.PeerAddr += " elsewhere"
		}
		s.mu.Unlock()
		list = append(list, n)
	}
	return list
}

// enter starts a node under a name.
func (s *society) enter(i int, name string, bootstrap ...wire.NodeID) *member {
	s.mu.Lock()
	s.names[nodeName(i)] = name
	s.mu.Unlock()
	return s.start(i, bootstrap, func(c *Config) {
		c.Nominees = s.nominees
		c.Membership = MembershipConfig{Interval: 10 * time.Millisecond, Rules: voters.Rules{PromoteAfter: -1, ReplaceAfter: 500 * time.Millisecond}}
		c.Told = func(v *Verdict) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.verdicts[nodeName(i)] = append(s.verdicts[nodeName(i)], *v)
		}
	})
}

// move gives a node another address than others of its name have.
func (s *society) move(id wire.NodeID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved[id] = true
}

// three starts a cluster of a, b and c.
func (s *society) three() {
	ids := []wire.NodeID{nodeName(0), nodeName(1), nodeName(2)}
	for i, name := range []string{"a", "b", "c"} {
		s.enter(i, name, ids...)
	}
	eventually(s.t, "the members to be described", func() bool { return len(s.leader().Catalog().Nodes()) == 3 })
}

func (s *society) told(id wire.NodeID, ok func(Verdict) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.verdicts[id], ok)
}

func removed(v Verdict) bool { return v.Removed != nil }
func taken(v Verdict) bool   { return v.Taken != nil }
func waits(v Verdict) bool   { return v.Waits != "" }

// never watches every node's view of the group until stop.
func (s *society) never(what string, bad func(members []wire.NodeID) bool) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			for _, g := range s.groups() {
				var ids []wire.NodeID
				for _, server := range g.raft.servers() {
					ids = append(ids, wire.NodeID(server.ID))
				}
				if bad(ids) {
					s.t.Errorf("%s: the group is %v", what, ids)
					return
				}
			}
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() { close(done); <-ended }
}

func TestANodeWithANewFolderTakesThePlaceOfItsFormerSelf(t *testing.T) {
	for _, address := range []string{"the same address", "another address"} {
		t.Run(address, func(t *testing.T) {
			s := newSociety(t)
			s.three()
			lost := s.leader()
			name := s.names[lost.id]
			stop := s.never("the old and the new node are counted together", func(ids []wire.NodeID) bool {
				return slices.Contains(ids, lost.id) && slices.Contains(ids, nodeName(3))
			})
			s.network.stop(lost)
			if address == "another address" {
				s.move(nodeName(3))
			}
			s.enter(3, name)
			eventually(t, "three votes with the newcomer's", func() bool {
				v := s.leader().Stats().Voters
				return len(v) == 3 && slices.Contains(v, nodeName(3)) && !slices.Contains(v, lost.id)
			})
			stop()
			if s.told(nodeName(3), waits) != (address == "another address") {
				t.Errorf("the newcomer was told %+v", s.verdicts[nodeName(3)])
			}
			r, ok := s.leader().Removed(lost.id)
			if !ok || r.By != nodeName(3) || r.Name != name {
				t.Errorf("recorded: %+v %t", r, ok)
			}
			// The removed node comes back with its old disk, and finds that it was removed.
			i := int(lost.id[len(lost.id)-1] - '0')
			s.enter(i, name)
			eventually(t, "the old node to be told", func() bool { return s.told(lost.id, removed) })
			time.Sleep(100 * time.Millisecond)
			if l := s.leader(); l.raft.member(lost.id) || len(l.Catalog().Nodes()) != 3 {
				t.Errorf("it is back: %v", l.raft.servers())
			}
		})
	}
}

func TestASecondNodeOfANameIsNotLetIn(t *testing.T) {
	s := newSociety(t)
	s.three()
	stop := s.never("a second node of one name", func(ids []wire.NodeID) bool { return slices.Contains(ids, nodeName(3)) })
	defer stop()
	s.move(nodeName(3))
	s.enter(3, "b")
	eventually(t, "the newcomer to be told", func() bool { return s.told(nodeName(3), taken) })
	time.Sleep(700 * time.Millisecond) // longer than a silent member would have
	if nodes := s.leader().Catalog().Nodes(); len(nodes) != 3 {
		t.Errorf("%d nodes in the catalogue", len(nodes))
	}
}

func TestARemovedNodeThatRunsIsToldAndNeverLetInAgain(t *testing.T) {
	s := newSociety(t)
	s.three()
	s.enter(3, "d")
	ctx := within(t, 20*time.Second)
	eventually(t, "a fourth member that has caught up", func() bool {
		l := s.leader()
		return len(l.Catalog().Nodes()) == 4 && l.keepsUp(nodeName(3))
	})
	for _, leads := range []bool{true, false} {
		victim := s.leader()
		if !leads {
			victim = slices.DeleteFunc(s.running(), func(m *member) bool { return m == victim })[0]
		}
		if err := s.running()[0].Remove(ctx, victim.id); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the removed node to be told", func() bool { return s.told(victim.id, removed) })
		eventually(t, "the others to go on", func() bool { l := s.leader(); return l != victim && !l.raft.member(victim.id) })
		time.Sleep(100 * time.Millisecond) // ten looks of the leader, who sees it in gossip
		l := s.leader()
		if _, known := l.Catalog().Node(victim.id); known || l.raft.member(victim.id) {
			t.Errorf("%s is back: %v", victim.id, l.raft.servers())
		}
		if _, err := l.Propose(ctx, addTask("movies")); err != nil {
			t.Error(err)
		}
		s.network.stop(victim)
	}
}

func TestAVoterIsNotRemovedWhileTooFewOthersAnswer(t *testing.T) {
	s := newSociety(t)
	s.three()
	l := s.leader()
	var others []*member
	for _, m := range s.running() {
		if m != l {
			others = append(others, m)
		}
	}
	s.network.stop(others[0])
	err := l.Remove(within(t, 10*time.Second), others[1].id)
	var refusal *apierr.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("the last vote but one: %v", err)
	}
	if !l.raft.member(others[1].id) {
		t.Error("it was removed all the same")
	}
	// The voter that does not answer may be removed.
	if err := l.Remove(within(t, 10*time.Second), others[0].id); err != nil {
		t.Error(err)
	}
}

func TestADrainMarkGoesOverToTheNodeThatReplacesOne(t *testing.T) {
	s := newSociety(t)
	s.three()
	s.enter(3, "d")
	eventually(t, "a fourth member", func() bool { return len(s.leader().Catalog().Nodes()) == 4 })
	d, _ := s.leader().Catalog().Node(nodeName(3))
	marked := *d
	marked.Draining = true
	if _, err := s.leader().Propose(within(t, 10*time.Second), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutNode: &marked}}}}); err != nil {
		t.Fatal(err)
	}
	s.network.stop(s.running()[3])
	s.enter(4, "d")
	eventually(t, "the newcomer to be described", func() bool {
		n, ok := s.leader().Catalog().Node(nodeName(4))
		if ok && !n.Draining {
			t.Fatal("the mark is lost")
		}
		return ok
	})
}

// The leader hands over before it answers, and the node that asked it ends the call as soon
// as the next leader is known. The caller once got the error that there is no leader.
func TestARemovalOfTheLeaderSucceeds(t *testing.T) {
	n := newNetwork(t)
	var asked atomic.Int64
	nodes := n.cluster(3, func(c *Config) {
		call := c.Call
		c.Call = func(ctx context.Context, to wire.NodeID, req *Request) (*Reply, error) {
			if req.Remove == nil || asked.Add(1) > 1 {
				return call(ctx, to, req)
			}
			reply, err := call(context.WithoutCancel(ctx), to, req)
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(10 * time.Second):
				t.Error("nobody hung up")
				return reply, err
			}
		}
	})
	lead := n.leader()
	front := nodes[0]
	if front == lead {
		front = nodes[1]
	}
	if err := front.Remove(within(t, 20*time.Second), lead.id); err != nil {
		t.Fatal(err)
	}
	if asked.Load() == 0 {
		t.Error("the leader was not asked")
	}
	eventually(t, "another leader without it", func() bool { l := n.leader(); return l != lead && !l.raft.member(lead.id) })
}
