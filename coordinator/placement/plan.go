package placement

import (
	"fmt"
	"slices"

	"shoal/api/jsonvalue"
	"shoal/wire"
)

// twoNodes is the cost of a search over two nodes in CPU time of both, relative to one node
// that has everything in one shard, for an index for which one shard is enough. Larger ones
// divide the work (docs/scaling.md).
const twoNodes = 2.2

// plan explains what the shards and copies of an index mean for searches, and what would be
// better. It returns "" if there is nothing to say. nodes are those that may have copies.
func plan(x *wire.Index, nodes []wire.NodeID) string {
	size, documents := int64(0), uint64(0)
	for i := range x.Stats {
		size, documents = size+int64(x.Stats[i].RawBytes), documents+x.Stats[i].Documents
	}
	shards := len(x.Shards)
	wanted := shardsFor(Size{size, documents}, len(nodes))
	switch {
	case x.ShardGoal > 0 && x.ShardGoal != shards:
		return ""
	case shards == 1 && wanted > 1:
		return fmt.Sprintf("%s and %d documents in one shard: with %d shards as many nodes would build imports at once, keep less in memory each, and divide the work of a search",
			jsonvalue.HumanBinarySize(uint64(size)), documents, wanted)
	case shards == 1:
		return ""
	}
	asked := nodesAsked(x, nodes)
	if asked <= 1 {
		return fmt.Sprintf("%d shards: each node has all of them and answers searches alone", shards)
	}
	if wanted > 1 {
		return fmt.Sprintf("%d shards: a search asks %d nodes, which divide its work", shards, asked)
	}
	about := "about"
	if asked > 2 {
		about = "more than"
	}
	return fmt.Sprintf("%d shards: a search asks %d nodes and costs %s %.1f times the CPU of one shard on one node; one shard is enough for %s and %d documents",
		shards, asked, about, twoNodes, jsonvalue.HumanBinarySize(uint64(size)), documents)
}

// nodesAsked is how many nodes a search needs, for the coordinating node that needs most. It
// counts that node if it has a shard, and the fewest others that have the remaining shards.
func nodesAsked(x *wire.Index, nodes []wire.NodeID) (most int) {
	for _, n := range nodes {
		own := without(shardsOf(x), n)
		asked := 0
		if len(own) < len(x.Shards) {
			asked = 1
		}
		c := cover{best: len(own)}
		c.search(own, 0)
		most = max(most, asked+c.best)
	}
	return most
}

// cover looks for the smallest number of nodes that together have all of some shards.
type cover struct{ best, steps int }

// maxCoverSteps bounds that search. A result found within the bound is at most slightly too
// large.
const maxCoverSteps = 256

func (c *cover) search(left []*wire.Shard, asked int) {
	if len(left) == 0 {
		c.best = min(c.best, asked)
	}
	if c.steps++; len(left) == 0 || asked+1 >= c.best || c.steps > maxCoverSteps {
		return
	}
	for i := range left[0].Replicas {
		c.search(without(left, left[0].Replicas[i].Node), asked+1)
	}
}

func shardsOf(x *wire.Index) []*wire.Shard {
	out := make([]*wire.Shard, len(x.Shards))
	for i := range x.Shards {
		out[i] = &x.Shards[i]
	}
	return out
}

// without lists the shards of which a node has no copy.
func without(shards []*wire.Shard, n wire.NodeID) []*wire.Shard {
	return slices.DeleteFunc(slices.Clone(shards), func(s *wire.Shard) bool { return s.ReplicaOn(n) != nil })
}
