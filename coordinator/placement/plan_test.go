package placement

import (
	"strings"
	"testing"

	"shoal/wire"
)

// index has shards on nodes that are named by letters, such as "ab bc ca".
func planned(bytes uint64, holders string) *wire.Index {
	x := &wire.Index{}
	for i, on := range strings.Fields(holders) {
		s := wire.Shard{Number: uint16(i)}
		for _, n := range on {
			s.Replicas = append(s.Replicas, wire.Replica{Node: wire.NodeID(string(n)), State: wire.InSync})
		}
		x.Shards = append(x.Shards, s)
		x.Stats = append(x.Stats, wire.ShardStats{RawBytes: bytes, Documents: 10})
	}
	return x
}

func TestNodesThatASearchAsks(t *testing.T) {
	for holders, want := range map[string]int{
		"abc": 1, "ab bc ca": 2, "abc abc abc": 1, "a b c": 3, "ab ab": 1, "ab bc cd da": 2, "ab bc cd de ef fa": 3, "": 0,
	} {
		nodes := []wire.NodeID{"a", "b", "c"}
		if strings.Contains(holders, "f") {
			nodes = append(nodes, "d", "e", "f")
		}
		if got := nodesAsked(planned(1, holders), nodes); got != want {
			t.Errorf("%q: %d nodes, want %d", holders, got, want)
		}
	}
}

func TestThePlanOfAnIndexIsExplained(t *testing.T) {
	nodes := []wire.NodeID{"a", "b", "c"}
	for _, c := range []struct {
		x    *wire.Index
		want string
	}{
		{planned(100<<20, "ab"), ""},
		{planned(0, "a"), ""},
		{planned(3<<30, "ab"), "3 GiB and 10 documents in one shard: with 3 shards as many nodes would build imports at once"},
		{planned(100<<20, "ab bc ca"), "3 shards: a search asks 2 nodes and costs about 2.2 times the CPU of one shard on one node; one shard is enough for 300 MiB and 30 documents"},
		{planned(2<<30, "ab bc ca"), "3 shards: a search asks 2 nodes, which divide its work"},
		{planned(100<<20, "a b c"), "3 shards: a search asks 3 nodes and costs more than 2.2 times"},
		{planned(2<<30, "abc abc abc"), "3 shards: each node has all of them and answers searches alone"},
	} {
		if got := plan(c.x, nodes); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
	changing := planned(100<<20, "ab bc ca")
	changing.ShardGoal = 1
	if got := plan(changing, nodes); got != "" {
		t.Errorf("an index whose shards are being changed: %s", got)
	}
}

// The smallest cover of many shards is hard to find. The search for it is bounded and finds one
// that is good enough.
func TestTheSearchForNodesToAskIsBounded(t *testing.T) {
	x := &wire.Index{}
	for i := range 60 {
		s := wire.Shard{Number: uint16(i)}
		for j := range 3 {
			s.Replicas = append(s.Replicas, wire.Replica{Node: wire.NodeID(rune('A' + (i*7+j*j*11)%60))})
		}
		x.Shards = append(x.Shards, s)
	}
	c := cover{best: len(x.Shards)}
	c.search(shardsOf(x), 0)
	if c.steps < maxCoverSteps || c.steps > 2*maxCoverSteps || c.best < 20 || c.best > 40 {
		t.Errorf("%d nodes after %d steps", c.best, c.steps)
	}
}

// The search stops at the first node that has all shards. It takes no step that cannot improve
// the result.
func TestTheSearchForNodesToAskStopsAtTheBest(t *testing.T) {
	for holders, want := range map[string]int{"a": 1, "a b": 2, "ab bc": 3, "ab ab ab": 3, "abc abc abc": 4} {
		x := planned(1, holders)
		c := cover{best: len(x.Shards)}
		c.search(shardsOf(x), 0)
		if c.steps != want {
			t.Errorf("%q: %d steps, want %d", holders, c.steps, want)
		}
	}
}
