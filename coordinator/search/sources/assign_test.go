package sources

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// spreadIndex is an index whose shards have copies on some of n nodes.
func spreadIndex(r *rand.Rand, shards, n, copies int) *wire.Index {
	x := &wire.Index{ID: r.Uint32N(100), UID: "docs"}
	for i := range shards {
		s := wire.Shard{Number: uint16(i)}
		for _, node := range r.Perm(n)[:copies] {
			state := wire.InSync
			if r.IntN(8) == 0 && len(s.Replicas) > 0 {
				state = wire.Copying
			}
			s.Replicas = append(s.Replicas, wire.Replica{Node: nodeNamed(node), State: state})
		}
		x.Shards = append(x.Shards, s)
	}
	return x
}

func nodeNamed(i int) wire.NodeID { return wire.NodeID(fmt.Sprintf("n%d", i)) }

// fewest returns the least number of nodes that hold all shards, this one among them if it
// holds something. It tries all sets of nodes.
func fewest(shards []*wire.Shard, n int, self wire.NodeID, usable func(*wire.Shard, wire.NodeID) bool) int {
	least := -1
	holdsSelf := slices.ContainsFunc(shards, func(s *wire.Shard) bool { return usable(s, self) })
	for set := range 1 << n {
		with := func(node wire.NodeID) bool {
			for i := range n {
				if set>>i&1 != 0 && nodeNamed(i) == node {
					return true
				}
			}
			return false
		}
		covers := !holdsSelf || with(self)
		for _, s := range shards {
			covers = covers && slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool { return with(r.Node) && usable(s, r.Node) })
		}
		if size := bits.OnesCount(uint(set)); covers && (least < 0 || size < least) {
			least = size
		}
	}
	return least
}

func TestTheFewestNodesThatHoldAllShardsAreAsked(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	for range 3000 {
		n := 1 + r.IntN(6)
		x := spreadIndex(r, 1+r.IntN(6), n, 1+r.IntN(n))
		self := nodeNamed(r.IntN(n + 1)) // maybe one that holds nothing
		shaky := nodeNamed(r.IntN(2 * n))
		old := nodeNamed(r.IntN(2 * n))
		h := &holders{
			self: self, away: map[wire.NodeID]bool{}, from: r.IntN(5),
			shaky:  func(n wire.NodeID) bool { return n == shaky },
			unites: func(n wire.NodeID) bool { return n != old },
			busy:   func(wire.NodeID) int { return r.IntN(3) },
		}
		inSync := func(s *wire.Shard, n wire.NodeID) bool {
			copy := s.ReplicaOn(n)
			return copy != nil && copy.State == wire.InSync
		}
		usable := func(s *wire.Shard, n wire.NodeID) bool {
			others := slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool {
				return inSync(s, r.Node) && r.Node != shaky
			})
			return inSync(s, n) && (n != shaky || !others)
		}
		var shards []*wire.Shard
		for i := range x.Shards {
			shards = append(shards, &x.Shards[i])
		}
		out, without := assign(shards, h)
		if without != nil {
			t.Fatalf("nobody for shard %d of %+v", without.Number, x.Shards)
		}
		seen, nodes := map[uint16]int{}, map[wire.NodeID]bool{}
		for _, a := range out {
			nodes[a.node] = true
			if a.node == old && len(a.shards) > 1 {
				t.Fatalf("a node that answers for one shard at a time is asked for %d", len(a.shards))
			}
			for _, s := range a.shards {
				if seen[s.Number]++; !usable(s, a.node) {
					t.Fatalf("shard %d is asked of %s: %+v", s.Number, a.node, s.Replicas)
				}
			}
		}
		for _, s := range shards {
			if seen[s.Number] != 1 {
				t.Fatalf("shard %d is asked %d times", s.Number, seen[s.Number])
			}
			if usable(s, self) && !slices.ContainsFunc(out, func(a assignment) bool { return a.node == self && slices.Contains(a.shards, s) }) {
				t.Fatalf("shard %d is here and asked elsewhere", s.Number)
			}
		}
		if want := fewest(shards, n+1, self, usable); len(nodes) != want {
			t.Fatalf("%d nodes are asked, %d hold all: %+v", len(nodes), want, x.Shards)
		}
	}
}

func TestTheLeastBusyNodeIsAsked(t *testing.T) {
	s := &wire.Shard{Replicas: []wire.Replica{{Node: "a", State: wire.InSync}, {Node: "b", State: wire.InSync}}}
	for _, busy := range []wire.NodeID{"a", "b"} {
		h := &holders{
			self: "c", shaky: func(wire.NodeID) bool { return false }, unites: func(wire.NodeID) bool { return true },
			busy: func(n wire.NodeID) int { return map[wire.NodeID]int{busy: 1}[n] },
		}
		if out, _ := assign([]*wire.Shard{s}, h); len(out) != 1 || out[0].node == busy {
			t.Errorf("%s is busy: %+v", busy, out)
		}
	}
}

// dyingShards are the shards of nodes, some of which do not answer.
type dyingShards struct {
	coordinator.Shards
	mu   sync.Mutex
	dead map[wire.NodeID]error
	open map[wire.NodeID][]uint16
}

func (d *dyingShards) Suspect(wire.NodeID) bool { return false }

func (d *dyingShards) OpenSearch(_ context.Context, node wire.NodeID, open *wire.SearchOpen) (wire.Session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.dead[node]; err != nil {
		return nil, err
	}
	d.open[node] = append(d.open[node], open.Index.Key.Shard)
	for _, o := range open.Others {
		d.open[node] = append(d.open[node], o.Shard)
	}
	return refusing{}, nil
}

// known is a catalogue whose nodes run the present program.
type known struct{ coordinator.Catalog }

func (known) Node(id wire.NodeID) (*wire.Node, bool) {
	return &wire.Node{ID: id, Version: wire.Version}, true
}

func (known) Spoken() int { return wire.Version }

// While the log still has the older version, a node that may go back to the older program must
// not be sent several shards at once.
func TestANodeThatMayGoBackToAnOlderProgramGetsOneShard(t *testing.T) {
	c := &Choice{opener: &Opener{self: "a"}, catalog: coordtest.NewLog("a", "b", "c").State}
	if !c.unites("b") {
		t.Error("no node may be sent several shards, though all programs and the log are new")
	}
	nodes := c.catalog.Nodes()
	nodes[2].Version = wire.UnitedSince - 1
	if c.unites("b") || c.unites("c") || !c.unites("a") {
		t.Error("a node is sent several shards, though it has the older program or may go back to it")
	}
}

func TestShardsOfANodeThatDoesNotAnswerAreAskedElsewhere(t *testing.T) {
	copies := func(nodes ...wire.NodeID) (out []wire.Replica) {
		for _, n := range nodes {
			out = append(out, wire.Replica{Node: n, State: wire.InSync})
		}
		return out
	}
	x := &wire.Index{ID: 1, UID: "docs", Shards: []wire.Shard{
		{Number: 0, Replicas: copies("a", "b")}, {Number: 1, Replicas: copies("b", "c")}, {Number: 2, Replicas: copies("b", "c")}, {Number: 3, Replicas: copies("c", "b")}}}
	for _, c := range []struct {
		dead map[wire.NodeID]error
		want map[wire.NodeID][]uint16
		err  error
	}{
		{map[wire.NodeID]error{"b": wire.ErrUnavailable}, map[wire.NodeID][]uint16{"a": {0}, "c": {1, 2, 3}}, nil},
		{map[wire.NodeID]error{"c": wire.ErrNoShard}, map[wire.NodeID][]uint16{"a": {0}, "b": {1, 2, 3}}, nil},
		{map[wire.NodeID]error{"a": wire.ErrBehind, "c": wire.ErrBehind}, map[wire.NodeID][]uint16{"b": {0, 1, 2, 3}}, nil},
		{map[wire.NodeID]error{"b": wire.ErrNoShard, "c": wire.ErrClosed}, nil, wire.ErrUnavailable},
		{map[wire.NodeID]error{"b": wire.ErrGone, "c": wire.ErrGone}, nil, wire.ErrGone},
	} {
		shards := &dyingShards{dead: c.dead, open: map[wire.NodeID][]uint16{}}
		cut := New(Config{Shards: shards, Self: "a"}).Choose(known{}, nil)
		sources, err := cut.Open(t.Context(), x, time.Now().Add(time.Second), nil)
		if !errors.Is(err, c.err) {
			t.Errorf("%v: error %v, want %v", c.dead, err, c.err)
		}
		sources.Close()
		if len(cut.opener.asked.of) > 0 {
			t.Errorf("%v: sources are counted as open: %v", c.dead, cut.opener.asked.of)
		}
		if err != nil {
			continue
		}
		for node, want := range c.want {
			if got := slices.Sorted(slices.Values(shards.open[node])); !slices.Equal(got, want) {
				t.Errorf("%v: %s is asked for %v, want %v", c.dead, node, shards.open[node], want)
			}
		}
		again, err := cut.Open(t.Context(), x, time.Now().Add(time.Second), nil)
		if err != nil || len(again) != len(sources) {
			t.Fatalf("%v: opened again: %d sources, %v", c.dead, len(again), err)
		}
		for i := range again {
			if again[i].node != sources[i].node || !slices.Equal(again[i].shards, sources[i].shards) {
				t.Errorf("%v: source %d is another one when it is opened again", c.dead, i)
			}
		}
		again.Close()
		shards.dead = map[wire.NodeID]error{sources[0].node: wire.ErrUnavailable}
		var fault *Fault
		if _, err := cut.Open(t.Context(), x, time.Now().Add(time.Second), nil); !errors.As(err, &fault) || fault.Node != sources[0].node {
			t.Errorf("%v: a node is gone when its sources are opened again: %v", c.dead, err)
		}
	}
}

// suspects are the shards of nodes, some of which seem not to answer.
type suspects struct {
	coordinator.Shards
	nodes []wire.NodeID
}

func (s suspects) Suspect(n wire.NodeID) bool { return slices.Contains(s.nodes, n) }

func TestASourceCanBeSparedWhenOtherNodesHaveAllItsShards(t *testing.T) {
	copies := func(state wire.ReplicaState, nodes ...wire.NodeID) (out []wire.Replica) {
		for _, n := range nodes {
			out = append(out, wire.Replica{Node: n, State: state})
		}
		return out
	}
	both := &wire.Shard{Replicas: copies(wire.InSync, "a", "b")}
	alone := &wire.Shard{Replicas: append(copies(wire.InSync, "a"), wire.Replica{Node: "b", State: wire.Copying})}
	for _, c := range []struct {
		shards   []*wire.Shard
		suspects []wire.NodeID
		failed   map[wire.NodeID]bool
		want     bool
	}{
		{[]*wire.Shard{both}, nil, nil, true},
		{[]*wire.Shard{both}, []wire.NodeID{"b"}, nil, false},
		{[]*wire.Shard{both}, []wire.NodeID{"a"}, nil, true},
		{[]*wire.Shard{both}, nil, map[wire.NodeID]bool{"b": true}, false},
		{[]*wire.Shard{alone}, nil, nil, false},
		{[]*wire.Shard{both, alone}, nil, nil, false},
	} {
		cut := New(Config{Shards: suspects{nodes: c.suspects}, Self: "c"}).Choose(nil, c.failed)
		if got := cut.spared(&assignment{node: "a", shards: c.shards}); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
