package query

import (
	"math/bits"
	"slices"
)

// The first two nodes of every graph.
const (
	Start = 0
	End   = 1
)

// Node is one derivation group of one term at its place in a Graph. Term is an index into
// the pinned terms; Start and End have none. Succ are the successors, ascending.
type Node struct {
	Term uint16   `msgpack:"t"`
	Sub  Subset   `msgpack:"s"`
	Succ []uint16 `msgpack:"n"`
}

// Graph is the query as a directed acyclic graph. Each path from Start to End is one way to
// read the query. The order of the nodes matters: paths are explored by ascending
// successors (spec ranking 3.7 and 5.3). Immutable.
type Graph struct {
	Nodes []Node `msgpack:"n"`
}

// Equal tells whether two graphs are the same. nil is only equal to nil.
func (g *Graph) Equal(other *Graph) bool {
	if g == nil || other == nil || g == other {
		return g == other
	}
	return slices.EqualFunc(g.Nodes, other.Nodes, func(a, b Node) bool {
		return a.Term == b.Term && a.Sub == b.Sub && slices.Equal(a.Succ, b.Succ)
	})
}

// NewGraph returns the graph of a new query over terms in the order of Lexis.Parse: the
// terms, then the n-grams.
func NewGraph(terms []Term) *Graph {
	order := make([]uint16, len(terms))
	for i := range order {
		order[i] = uint16(i)
	}
	slices.SortStableFunc(order, func(a, b uint16) int {
		x, y := &terms[a], &terms[b]
		if x.LastID != y.LastID {
			return int(x.LastID) - int(y.LastID)
		}
		return x.Size() - y.Size()
	})
	g := &Graph{Nodes: make([]Node, 2, 2+len(terms))}
	for _, t := range order {
		g.Nodes = append(g.Nodes, Node{Term: t, Sub: Full})
	}
	for i := range g.Nodes {
		switch i {
		case Start:
			g.Nodes[i].Succ = g.startingAfter(terms, -1)
		case End:
		default:
			g.Nodes[i].Succ = g.startingAfter(terms, int(terms[g.Nodes[i].Term].LastID))
		}
	}
	return g
}

// startingAfter lists the nodes whose first term id is the smallest one greater than id, or
// End if there is none.
func (g *Graph) startingAfter(terms []Term, id int) []uint16 {
	var succ []uint16
	smallest := 1 << 16
	for i := 2; i < len(g.Nodes); i++ {
		first := int(terms[g.Nodes[i].Term].FirstID)
		if first <= id || first > smallest {
			continue
		}
		if first < smallest {
			smallest, succ = first, succ[:0]
		}
		succ = append(succ, uint16(i))
	}
	if succ == nil {
		return []uint16{End}
	}
	return succ
}

// Backward returns the nodes reachable from Start, each after all its successors. End is
// first and Start last.
func (g *Graph) Backward() []uint16 {
	order := make([]uint16, 0, len(g.Nodes))
	seen := make([]bool, len(g.Nodes))
	var visit func(n uint16)
	visit = func(n uint16) {
		seen[n] = true
		for _, s := range g.Nodes[n].Succ {
			if !seen[s] {
				visit(s)
			}
		}
		order = append(order, n)
	}
	visit(Start)
	return order
}

// Forward returns the nodes reachable from Start, without Start and End, in the order in
// which the reference resolves them: by a queue, where a node that comes up before all its
// predecessors goes back to the end.
func (g *Graph) Forward() []uint16 {
	missing := make([]int, len(g.Nodes)) // predecessors not yet resolved
	for _, n := range g.Backward() {
		for _, s := range g.Nodes[n].Succ {
			missing[s]++
		}
	}
	var order []uint16
	queued := NewBits(len(g.Nodes))
	for queue := []uint16{Start}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if missing[n] > 0 {
			queue = append(queue, n)
			continue
		}
		if n != Start {
			order = append(order, n)
		}
		for _, s := range g.Nodes[n].Succ {
			missing[s]--
			if s != End && !queued.Has(s) {
				queued.Add(s)
				queue = append(queue, s)
			}
		}
	}
	return order
}

// Bits is a small set of node indexes.
type Bits []uint64

// NewBits returns an empty set for n nodes.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Has tells whether i is in the set.
func (b Bits) Has(i uint16) bool { return b != nil && b[i>>6]&(1<<(i&63)) != 0 }

// Add puts i into the set.
func (b Bits) Add(i uint16) { b[i>>6] |= 1 << (i & 63) }

// Union adds the members of c.
func (b Bits) Union(c Bits) {
	for i := range c {
		b[i] |= c[i]
	}
}

// Len is the number of members.
func (b Bits) Len() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Without returns the graph without the given nodes, joining their predecessors to their
// successors. Node numbers stay; removed nodes are unreachable.
func (g *Graph) Without(removed Bits) *Graph {
	out := &Graph{Nodes: slices.Clone(g.Nodes)}
	// In backward order the successors of a removed node are final when its predecessors
	// take them over.
	for _, n := range g.Backward() {
		var succ []uint16
		for _, s := range g.Nodes[n].Succ {
			if removed.Has(s) {
				succ = append(succ, out.Nodes[s].Succ...)
			} else {
				succ = append(succ, s)
			}
		}
		slices.Sort(succ)
		out.Nodes[n].Succ = slices.Compact(succ)
	}
	for i := range out.Nodes {
		if removed.Has(uint16(i)) {
			out.Nodes[i].Succ = nil
		}
	}
	return out
}

// Chain returns the nodes of the only path of the graph, without Start and End. ok is false
// if there are several paths.
func (g *Graph) Chain() (path []uint16, ok bool) {
	n := uint16(Start)
	for {
		succ := g.Nodes[n].Succ
		if len(succ) != 1 {
			return nil, false
		}
		if n = succ[0]; n == End {
			return path, true
		}
		path = append(path, n)
	}
}

// Ref is a node without its place, an element of a path.
type Ref struct {
	Term uint16
	Sub  Subset
}

// FromPaths returns the graph of the given paths. Each is the sequence of the (narrowed)
// nodes it visits. Equal nodes with equal rests of the path are shared, and nodes are
// numbered by first appearance (spec ranking 5.3).
func FromPaths(paths [][]Ref) *Graph {
	g := &Graph{Nodes: make([]Node, 2, 8)}
	type suffix struct {
		ref  Ref
		next uint32
	}
	ids := make(map[suffix]uint32)   // suffix -> id, 0 is the empty suffix
	nodes := make(map[uint32]uint16) // suffix id -> node
	var trail []uint32
	for _, path := range paths {
		trail = trail[:0]
		id := uint32(0)
		for i := len(path) - 1; i >= 0; i-- {
			s := suffix{path[i], id}
			known, ok := ids[s]
			if !ok {
				known = uint32(len(ids) + 1)
				ids[s] = known
			}
			id = known
			trail = append(trail, id)
		}
		prev := uint16(Start)
		for i, ref := range path {
			id := trail[len(path)-1-i]
			n, ok := nodes[id]
			if !ok {
				n = uint16(len(g.Nodes))
				nodes[id] = n
				g.Nodes = append(g.Nodes, Node{Term: ref.Term, Sub: ref.Sub})
			}
			g.link(prev, n)
			prev = n
		}
		g.link(prev, End)
	}
	return g
}

func (g *Graph) link(from, to uint16) {
	succ := g.Nodes[from].Succ
	if i, found := slices.BinarySearch(succ, to); !found {
		g.Nodes[from].Succ = slices.Insert(succ, i, to)
	}
}
