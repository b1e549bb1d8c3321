package sources

import (
	"cmp"
	"slices"

	"shoal/wire"
)

// assignment is one source of a search before it is opened: some shards of the index, and the
// node that answers for all of them together.
type assignment struct {
	node   wire.NodeID
	shards []*wire.Shard
}

// holders are the nodes that a search may ask.
type holders struct {
	self wire.NodeID
	// away are nodes that could not answer this search. shaky tells of nodes that may fail:
	// they are asked only for shards that no other node has.
	away  map[wire.NodeID]bool
	shaky func(wire.NodeID) bool
	// unites tells whether a node can answer for several shards together.
	unites func(wire.NodeID) bool
	// busy counts the sources that this node has open on another one. from rotates the order of
	// nodes that are otherwise equal.
	busy func(wire.NodeID) int
	from int
}

// assign divides shards among as few nodes as possible: this one first, then the least busy
// ones. If a shard has no node that may be asked, it returns that shard. Code above this
// function does not deal with shards.
func assign(shards []*wire.Shard, h *holders) (out []assignment, without *wire.Shard) {
	c := cover{h: h, shards: shards, holds: make(map[wire.NodeID][]int)}
	for i, s := range shards {
		if !c.list(i, s) {
			return nil, s
		}
	}
	for _, chosen := range c.choose() {
		out = c.take(out, chosen)
	}
	slices.SortFunc(out, func(a, b assignment) int { return cmp.Compare(a.shards[0].Number, b.shards[0].Number) })
	return out, nil
}

// cover chooses nodes that together hold some shards.
type cover struct {
	h      *holders
	shards []*wire.Shard
	holds  map[wire.NodeID][]int // the shards that a node may be asked for
	nodes  []wire.NodeID         // in order of preference
	of     []int                 // for each shard the number of nodes that may be asked
	by     []bool                // for each shard whether a chosen node has it
	best   []wire.NodeID
	steps  int
}

// list records the nodes that may be asked for a shard; false when there is none.
func (c *cover) list(i int, s *wire.Shard) bool {
	for _, shaky := range []bool{false, true} {
		found := 0
		for k := range s.Replicas {
			r := &s.Replicas[(k+c.h.from)%len(s.Replicas)]
			if r.State != wire.InSync || c.h.away[r.Node] || c.h.shaky(r.Node) != shaky {
				continue
			}
			if found++; !slices.Contains(c.nodes, r.Node) {
				c.nodes = append(c.nodes, r.Node)
			}
			c.holds[r.Node] = append(c.holds[r.Node], i)
		}
		if found > 0 {
			c.of = append(c.of, found)
			return true
		}
	}
	return false
}

// maxCoverSteps bounds the search for the smallest set of nodes. The best set found by then is
// at most a little larger.
const maxCoverSteps = 256

// choose returns a smallest set of nodes. It includes this node if it holds anything.
func (c *cover) choose() []wire.NodeID {
	c.by = make([]bool, len(c.shards))
	var chosen []wire.NodeID
	if own := c.holds[c.h.self]; len(own) > 0 {
		chosen = append(chosen, c.h.self)
		for _, i := range own {
			c.by[i] = true
		}
	}
	if len(c.nodes) > 1 {
		busy := make(map[wire.NodeID]int, len(c.nodes))
		for _, n := range c.nodes {
			busy[n] = c.h.busy(n)
		}
		slices.SortStableFunc(c.nodes, func(a, b wire.NodeID) int { return cmp.Compare(busy[a], busy[b]) })
	}
	c.search(chosen)
	return c.best
}

// search adds nodes until every shard has one. It begins with the shard that fewest nodes hold.
func (c *cover) search(chosen []wire.NodeID) {
	if c.best != nil && (len(chosen) >= len(c.best) || c.steps >= maxCoverSteps) {
		return
	}
	c.steps++
	rarest := -1
	for i, has := range c.by {
		if !has && (rarest < 0 || c.of[i] < c.of[rarest]) {
			rarest = i
		}
	}
	if rarest < 0 {
		c.best = slices.Clone(chosen)
		return
	}
	var next []wire.NodeID
	for _, n := range c.nodes {
		if slices.Contains(c.holds[n], rarest) {
			next = append(next, n)
		}
	}
	slices.SortStableFunc(next, func(a, b wire.NodeID) int { return cmp.Compare(c.gain(b), c.gain(a)) })
	for _, n := range next {
		var fresh []int
		for _, i := range c.holds[n] {
			if !c.by[i] {
				c.by[i] = true
				fresh = append(fresh, i)
			}
		}
		c.search(append(chosen, n))
		for _, i := range fresh {
			c.by[i] = false
		}
	}
}

// gain is the number of shards that a node would add.
func (c *cover) gain(n wire.NodeID) (gain int) {
	for _, i := range c.holds[n] {
		if !c.by[i] {
			gain++
		}
	}
	return gain
}

// take adds the assignments of a chosen node: the shards that no node before it was given.
func (c *cover) take(out []assignment, node wire.NodeID) []assignment {
	var shards []*wire.Shard
	for _, i := range c.holds[node] {
		asked := slices.ContainsFunc(out, func(a assignment) bool { return slices.Contains(a.shards, c.shards[i]) })
		if !asked {
			shards = append(shards, c.shards[i])
		}
	}
	if len(shards) < 2 || c.h.unites(node) {
		if len(shards) > 0 {
			out = append(out, assignment{node, shards})
		}
		return out
	}
	for i := range shards {
		out = append(out, assignment{node, shards[i : i+1]})
	}
	return out
}
