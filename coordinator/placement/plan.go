package placement

import (
	"fmt"
	"slices"

	"shoal/wire"
)

// The cost of a search in CPU time over all nodes, relative to one node that has everything in
// one shard (docs/scaling.md). twoNodes is for a search over two nodes, severalShards for
// several shards on one node.
const (
	twoNodes      = 2.6
	severalShards = 1.25
)

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
		return fmt.Sprintf("%s and %d documents in one shard: imports would be built on %d nodes at once with %d shards, and each keep less in memory; searches would cost more unless every node has all shards",
			mebibytes(size), documents, wanted, wanted)
	case shards == 1:
		return ""
	}
	asked := nodesAsked(x, nodes)
	if asked <= 1 {
		return fmt.Sprintf("%d shards: each node has all of them and answers searches alone", shards)
	}
	about := "about"
	if asked > 2 {
		about = "more than"
	}
	cost := fmt.Sprintf("%d shards: a search asks %d nodes and costs %s %.1f times the CPU of one shard on one node", shards, asked, about, twoNodes)
	if wanted == 1 {
		return fmt.Sprintf("%s; one shard is enough for %s and %d documents", cost, mebibytes(size), documents)
	}
	return fmt.Sprintf("%s; with %d copies of each shard instead of %d every node answers alone, at about %.2f times", cost, len(nodes), copies(x), severalShards)
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

// copies is the number of copies of the shard that has fewest.
func copies(x *wire.Index) int {
	least := len(x.Shards[0].Replicas)
	for i := range x.Shards {
		least = min(least, len(x.Shards[i].Replicas))
	}
	return least
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
