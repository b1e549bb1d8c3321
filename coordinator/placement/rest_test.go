package placement

import (
	"fmt"
	"testing"

	"shoal/coordinator"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// still is a catalogue that keeps its lists, as the real one does. It counts how often a node
// is looked up.
type still struct {
	coordinator.Catalog
	indexes []*wire.Index
	nodes   []*wire.Node
	looks   int
}

func (s *still) Indexes() []*wire.Index { return s.indexes }
func (s *still) Nodes() []*wire.Node    { return s.nodes }

func (s *still) Node(id wire.NodeID) (*wire.Node, bool) {
	s.looks++
	return s.Catalog.Node(id)
}

// manyAtRest returns indexes with a copy on each of three nodes.
func manyAtRest(t testing.TB, n int) (*still, *Balancer, map[wire.NodeID]bool) {
	t.Helper()
	l := coordtest.NewLog("n1", "n2", "n3")
	s := &still{Catalog: l.State, nodes: l.State.Nodes()}
	for i := range n {
		x := readIndex(t, fmt.Sprintf("tenant-%05d", i), []string{"n1,n2,n3"})
		x.ID, x.ReplicaGoal = uint32(i+1), 3
		s.indexes = append(s.indexes, x)
	}
	away := map[wire.NodeID]bool{}
	return s, NewBalancer(BalancerConfig{Log: l, Alive: func(id wire.NodeID) bool { return !away[id] }, DeadAfter: 1}), away
}

// A regression test: the leader looked up the nodes of all copies every two seconds. With ten
// thousand indexes that was most of the work of an idle leader.
func TestAnIdleBalancerDoesNotLookAtAllCopies(t *testing.T) {
	s, b, away := manyAtRest(t, 20)
	if got := b.Plan(s); len(got) > 0 {
		t.Fatalf("%v", got)
	}
	s.looks = 0
	if got := b.Plan(s); len(got) > 0 || s.looks > 0 {
		t.Errorf("%v, %d looks at nodes", got, s.looks)
	}
	next := s.indexes[0].Clone()
	next.Shards[0].Replicas = next.Shards[0].Replicas[:2]
	s.indexes = append([]*wire.Index{next}, s.indexes[1:]...)
	if got := b.Plan(s); len(got) != 1 {
		t.Errorf("a copy is missing: %v", got)
	}
	s.indexes = append([]*wire.Index{s.indexes[1].Clone()}, s.indexes[1:]...)
	if got := b.Plan(s); len(got) > 0 {
		t.Errorf("%v", got)
	}
	away["n3"] = true
	for range 2 { // first it is away, then it is dead
		b.Plan(s)
	}
	s.nodes = s.nodes[:2]
	if got := b.Plan(s); len(got) == 0 {
		t.Error("a node is away and nothing is decided")
	}
}

// BenchmarkAPassOverTenThousandIndexes measures a pass after a change, which the leader makes
// at most four times a second.
func BenchmarkAPassOverTenThousandIndexes(b *testing.B) {
	s, balancer, _ := manyAtRest(b, 10_000)
	for b.Loop() {
		s.indexes = append([]*wire.Index(nil), s.indexes...)
		balancer.Plan(s)
	}
}
