package consensus

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"shoal/consensus/entry"
	"shoal/wire"
)

// atVersion sets the version of the program that a node reports.
func (s *society) atVersion(i, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions[nodeName(i)] = version
}

func (s *society) ofVersion(version int) func() bool {
	return func() bool { return s.leader().Catalog().Program() == version }
}

// The log held entries that it could not read. Now the leader tells it what to do, and the
// other nodes never count it.
func TestANewcomerWithAnOlderProgramIsRefusedAndTold(t *testing.T) {
	s := newSociety(t)
	s.three()
	eventually(t, "the log to be of their version", s.ofVersion(wire.Version))
	stop := s.never("a node that cannot read the log is counted", func(ids []wire.NodeID) bool { return slices.Contains(ids, nodeName(3)) })
	s.atVersion(3, wire.Version-1)
	s.enter(3, "d")
	eventually(t, "it to hear what to do", func() bool {
		return s.told(nodeName(3), func(v Verdict) bool {
			return strings.Contains(v.Waits, "its program is older") && strings.Contains(v.Waits, "start the program there that the other nodes run")
		})
	})
	addTaskTo(t, s.leader())
	stop()
	s.atVersion(3, wire.Version)
	eventually(t, "it to be let in with the program of the others", func() bool { return s.leader().raft.member(nodeName(3)) })
}

// The versions of the members were once read again for each entry, and the result fell when
// a member returned to an older program.
func TestTheLogIsOfOneVersionWhichOnlyGoesUp(t *testing.T) {
	s := newSociety(t)
	s.atVersion(2, wire.Version-1)
	s.three()
	eventually(t, "the log to be of the version that all know", s.ofVersion(wire.Version-1))
	// Old programs may join while one is left.
	s.atVersion(3, wire.Version-1)
	s.enter(3, "d")
	eventually(t, "another one to be let in", func() bool { return s.leader().raft.member(nodeName(3)) })
	s.atVersion(2, wire.Version)
	s.atVersion(3, wire.Version)
	eventually(t, "the log to be of the newer version", s.ofVersion(wire.Version))
	// A member that returns to an older program is described as it is. The log keeps its
	// version.
	s.atVersion(2, wire.Version-1)
	eventually(t, "it to be described", func() bool {
		n, ok := s.leader().Catalog().Node(nodeName(2))
		return ok && n.Version == wire.Version-1
	})
	if c := s.leader().Catalog(); c.Spoken() != wire.Version || !s.leader().spoken(wire.Version) {
		t.Errorf("the log is of version %d", c.Spoken())
	}
	s.atVersion(4, wire.Version-1)
	s.enter(4, "e")
	eventually(t, "a newcomer to hear what to do", func() bool { return s.told(nodeName(4), waits) })
	if s.leader().raft.member(nodeName(4)) {
		t.Error("it is let in")
	}
}

// The leader does not know whether its entry is in the log, and assumes that it is.
func TestANodeIsRefusedWhileTheVersionOfTheLogIsUncertain(t *testing.T) {
	n := newNetwork(t)
	n.cluster(1, nil)
	leader := n.leader()
	eventually(t, "the first version", func() bool { return leader.Catalog().Program() > 0 })
	put := &wire.Update{Changes: []wire.Change{{PutNode: &wire.Node{ID: leader.id, Version: wire.Version}}}}
	l := leader.newLeadership(t.Context(), 1).members
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	leader.changes.Lock()
	defer leader.changes.Unlock()
	if _, err := leader.Propose(t.Context(), &wire.Command{Update: put}); err != nil {
		t.Fatal(err)
	}
	if l.raise(ended) {
		t.Fatal("it is in the log, says a proposal that was given up")
	}
	if why := l.outdated(&wire.Node{Version: wire.Version - 1}); why == "" {
		t.Error("it would be let in")
	}
	if why := l.outdated(&wire.Node{Version: wire.Version}); why != "" {
		t.Error(why)
	}
}

// It said that its data folder is damaged, or nothing until the first entry that it could
// not read.
func TestANodeThatReturnedToAnOlderProgramSaysSo(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, nil)
	newer := wire.Update{Changes: []wire.Change{{PutValue: wire.ProgramValue(wire.Version + 1)}}}
	body, err := entry.Encode(&wire.Command{Update: &newer}, wire.Version)
	if err != nil {
		t.Fatal(err)
	}
	leader := n.leader()
	_ = leader.raft.Apply(entry.Stamp(time.Now().UnixNano(), 0, body, false), time.Second).Error() // every machine refuses it
	for _, m := range nodes {
		select {
		case err := <-m.fatal:
			if !errors.Is(err, ErrOlderProgram) {
				t.Errorf("%s: %v", m.id, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s goes on", m.id)
		}
	}
}
