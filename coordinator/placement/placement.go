package placement

import (
	"slices"

	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/text"
	"shoal/wire"
)

// A shard should take about this much of a first import, which a node with two cores indexes in
// a minute. Smaller shards are not worth the cost that each one adds to a search
// (docs/adr/0019).
const (
	shardBytes     = 1 << 30
	shardDocuments = 2_000_000
	maxShards      = 16
)

// Placement decides how many shards an index has and where their replicas are. Its methods are
// pure functions of the catalogue.
type Placement struct {
	// Shards is the number of shards of a new index. 0 means by the size of the first import.
	Shards int
	// Replicas is the wanted number of copies; 0 = one on every data node, up to MaxWide, of
	// an index that is small beside their disks, else as many as voters have an entry on
	// their disks (1 on one node, 2 on two to four, 3 on five or more).
	Replicas int
	// Full tells whether the disk of a node is nearly full: it gets no copies that are not
	// needed to survive failures, and others last. nil is a function that knows of none.
	Full func(wire.NodeID) bool
	// Incarnation returns the uuid of a node's store, "" while unknown. nil is a
	// function that never knows.
	Incarnation func(wire.NodeID) string
}

// Size is the known size of a first import.
type Size struct {
	Bytes     int64
	Documents uint64
}

// NewIndex plans an empty index with default settings. It avoids nodes for which avoid returns
// true. avoid may be nil.
func (p Placement) NewIndex(c coordinator.Catalog, uid string, first Size, avoid func(wire.NodeID) bool) *wire.Index {
	x := &wire.Index{UID: uid, Settings: defaultSettings(), Generations: wire.Generations{TextFormat: text.Format(wire.CommonDictionaries(c.Nodes()))}}
	x.Wide = p.beginsWide(c, uint64(max(first.Bytes, 0)))
	x.Shards = p.EmptyShards(c, x, p.shardCount(c, first), avoid)
	x.Stats = make([]wire.ShardStats, len(x.Shards))
	return x
}

// shardCount is the number of shards for an import of a given size.
func (p Placement) shardCount(c coordinator.Catalog, first Size) int {
	if p.Shards > 0 {
		return min(p.Shards, wire.Slots)
	}
	return shardsFor(first, len(dataNodes(c)))
}

// shardsFor is the number of shards for documents of a given size. It is at most the number of
// nodes.
func shardsFor(size Size, nodes int) int {
	bySize := max((size.Bytes+shardBytes-1)/shardBytes, int64((size.Documents+shardDocuments-1)/shardDocuments))
	return int(max(1, min(bySize, int64(nodes), maxShards)))
}

// EmptyShards plans n empty shards of x over all slots, numbered after those it ever
// had, on the nodes that hold least, and not on those to avoid as long as there is
// one that is not, nor on those with a full disk as long as there are enough others.
func (p Placement) EmptyShards(c coordinator.Catalog, x *wire.Index, n int, avoid func(wire.NodeID) bool) []wire.Shard {
	next := uint16(0)
	for _, list := range [][]wire.Shard{x.Shards, x.Next} {
		for _, s := range list {
			next = max(next, s.Number+1)
		}
	}
	load, taken := ReplicaLoad(c), p.avoided(c, x, avoid)
	out := make([]wire.Shard, n)
	for i := range out {
		s := &out[i]
		s.Number = next + uint16(i)
		s.SlotLo, s.SlotHi = uint32(i*wire.Slots/n), uint32((i+1)*wire.Slots/n)
		for _, node := range p.Choose(c, load, taken, p.Goal(c, x)) {
			s.Replicas = append(s.Replicas, wire.Replica{Node: node, Incarnation: p.IncarnationOf(node), State: wire.InSync})
			load[node]++
		}
	}
	return out
}

// avoided lists the nodes that get no copy of a new shard.
func (p Placement) avoided(c coordinator.Catalog, x *wire.Index, avoid func(wire.NodeID) bool) []wire.NodeID {
	all := dataNodes(c)
	taken := slices.DeleteFunc(slices.Clone(all), func(id wire.NodeID) bool { return avoid == nil || !avoid(id) })
	if len(taken) == len(all) {
		taken = nil
	}
	full := slices.DeleteFunc(slices.Clone(all), func(id wire.NodeID) bool { return !p.full(id) || slices.Contains(taken, id) })
	if len(all)-len(taken)-len(full) >= p.needed(c, x) {
		taken = append(taken, full...)
	}
	return taken
}

// IncarnationOf returns the mark of a node's copies, or "" if the node has not told it.
func (p Placement) IncarnationOf(n wire.NodeID) string {
	if p.Incarnation == nil {
		return ""
	}
	return p.Incarnation(n)
}

// Goal is the wanted number of replicas of an index, never more than there are
// nodes to hold them and never less than one.
func (p Placement) Goal(c coordinator.Catalog, x *wire.Index) int { return p.goal(c, wantedOf(x)) }

// needed is how many of the wanted replicas an index must have to survive failures, or
// because somebody set their number: the others make searches faster.
func (p Placement) needed(c coordinator.Catalog, x *wire.Index) int {
	return p.goal(c, wanted{copies: x.ReplicaGoal})
}

// wanted is what the record of an index says about the number of its copies.
type wanted struct {
	copies int  // Index.ReplicaGoal
	wide   bool // Index.Wide
}

func wantedOf(x *wire.Index) wanted { return wanted{x.ReplicaGoal, x.Wide} }

func (p Placement) goal(c coordinator.Catalog, w wanted) int {
	want := w.copies
	if want <= 0 {
		want = p.Replicas
	}
	if want <= 0 {
		want = spare(c) + 1
		if w.wide {
			want = max(want, MaxWide)
		}
	}
	return max(1, min(want, len(dataNodes(c))))
}

// goals are the numbers of copies in one catalogue, each found out once.
type goals struct {
	p     Placement
	c     coordinator.Catalog
	known map[wanted]int
}

func (p Placement) goalsOf(c coordinator.Catalog) *goals {
	return &goals{p: p, c: c, known: map[wanted]int{}}
}

func (g *goals) of(w wanted) int {
	n, known := g.known[w]
	if !known {
		n = g.p.goal(g.c, w)
		g.known[w] = n
	}
	return n
}

// needed is Placement.needed.
func (g *goals) needed(x *wire.Index) int { return g.of(wanted{copies: x.ReplicaGoal}) }

// spare is how many copies an index has beside the first one. Of 3 or 5 voters the cluster
// can lose 1 or 2. Two nodes cannot lose a vote and go on writing, but the log is on both of
// their disks, and so are the documents: searches go on when one is away, and whichever of
// them is left has everything.
func spare(c coordinator.Catalog) int {
	voters := 0
	for _, n := range c.Nodes() {
		if n.Voter {
			voters++
		}
	}
	switch {
	case voters >= 5:
		return 2
	case voters >= 2:
		return 1
	}
	return 0
}

// dataNodes lists the members that may get replicas, by id.
func dataNodes(c coordinator.Catalog) []wire.NodeID {
	var ids []wire.NodeID
	for _, n := range c.Nodes() {
		if n.Data && !n.Draining {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// ReplicaLoad counts the replicas on each node.
func ReplicaLoad(c coordinator.Catalog) map[wire.NodeID]int {
	if counted, ok := c.(coordinator.CopyFigures); ok {
		return counted.Copies()
	}
	load := map[wire.NodeID]int{}
	for _, x := range c.Indexes() {
		for i := range x.Shards {
			for _, r := range x.Shards[i].Replicas {
				load[r.Node]++
			}
		}
	}
	return load
}

// Choose picks up to n nodes for the copies of a shard. It spreads them over zones, and then
// prefers the least load and the lowest id. It never picks a node of avoid.
func (p Placement) Choose(c coordinator.Catalog, load map[wire.NodeID]int, avoid []wire.NodeID, n int) (chosen []wire.NodeID) {
	z := zonesOf(c)
	free := slices.DeleteFunc(dataNodes(c), func(id wire.NodeID) bool { return slices.Contains(avoid, id) })
	for len(chosen) < n && len(free) > 0 {
		best := z.best(free, chosen, load)
		chosen = append(chosen, best)
		free = slices.DeleteFunc(free, func(id wire.NodeID) bool { return id == best })
	}
	return chosen
}

// defaultSettings returns the stored form of the settings of a new index.
func defaultSettings() []byte { return wire.EncodeSettings(settings.Default()) }
