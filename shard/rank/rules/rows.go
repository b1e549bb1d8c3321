package rules

import (
	"context"
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
)

// rowIterator finds the buckets of a rule whose costs depend on the positions of words.
// It computes the cheapest path of every document at once and returns them by cost.
type rowIterator struct {
	t     *scope.Features
	rule  *row
	g     *query.Graph
	chain []uint16 // the nodes of the only path; nil if there are several
	nodes []rowNode

	rows []int32
	cost []uint32 // parallel to rows; absent for documents without path
	// choice holds, for graphs with several paths, the number of each row's path.
	choice []uint32
	paths  []rule.Path
	known  map[string]uint32

	order []int32 // indexes into rows by (cost, row)
	at    int

	best  []uint32 // scratch: by node
	taken []uint16
	key   []byte
}

// rowNode is a node of the graph as rows see it.
type rowNode struct {
	slot int
	size uint32
	succ []rowEdge
}

// rowEdge leads to a node. pair is the column of its proximity, -1 if the two terms are
// not neighbours.
type rowEdge struct {
	to   uint16
	pair int
}

func newRowIterator(s *scope.Scope, l *scope.Level) (*rowIterator, error) {
	t, err := s.Features(l.Base, l.Start.Graph)
	if err != nil {
		return nil, err
	}
	it := &rowIterator{t: t, rule: rowOf(l.Start.Rule.Kind), g: l.Start.Graph, rows: t.Rows(l.Base)}
	it.cost = make([]uint32, len(it.rows))
	it.link()
	if chain, ok := it.g.Chain(); ok {
		it.chain = chain
		for i, row := range it.rows {
			it.cost[i] = it.chainCost(row)
		}
	} else {
		it.evaluate()
	}
	it.sort()
	return it, nil
}

// link prepares the graph.
func (it *rowIterator) link() {
	it.nodes = make([]rowNode, len(it.g.Nodes))
	for i := range it.g.Nodes {
		n := &it.g.Nodes[i]
		if i >= 2 {
			it.nodes[i].slot = it.t.Slot[query.Ref{Term: n.Term, Sub: n.Sub}]
			it.nodes[i].size = uint32(it.t.Scope.Terms[n.Term].Size())
		}
	}
	for i := range it.g.Nodes {
		for _, to := range it.g.Nodes[i].Succ {
			e := rowEdge{to: to, pair: -1}
			if i != query.Start && to != query.End && it.rule.pairs {
				if p, ok := it.t.Pair[[2]int{it.nodes[i].slot, it.nodes[to].slot}]; ok && it.adjacent(uint16(i), to) {
					e.pair = p
				}
			}
			it.nodes[i].succ = append(it.nodes[i].succ, e)
		}
	}
}

func (it *rowIterator) adjacent(n, to uint16) bool {
	terms := it.t.Scope.Terms
	return rule.Adjacent(&terms[it.g.Nodes[n].Term], &terms[it.g.Nodes[to].Term])
}

// edgeCost returns the least cost of an edge for a document, absent if it can take
// none. order ranks the edge among those between the same nodes.
//
// A document must match the node behind the edge. It may have a word of that node only
// where the word does not count: a typo in an attribute without typos. A path by such a
// word would leave the document without a bucket in the next rule. In a restricted
// search such paths count and documents can be lost, as in the reference.
func (it *rowIterator) edgeCost(row int32, e rowEdge) (cost, order uint32) {
	if e.to == query.End {
		return 0, 0
	}
	if !it.t.Scope.Restricted && !it.t.IsMember(it.nodes[e.to].slot, row) {
		return columns.Absent, 0
	}
	return it.rule.edgeCost(it, row, e)
}

// chainCost returns the cost of a document on the only path of the graph.
func (it *rowIterator) chainCost(row int32) uint32 {
	sum, n := uint32(0), uint16(query.Start)
	for n != query.End {
		e := it.nodes[n].succ[0]
		c, _ := it.edgeCost(row, e)
		if c == columns.Absent {
			return columns.Absent
		}
		sum += c
		n = e.to
	}
	return sum
}

// evaluate finds the cheapest path of every row, the first one in exploration order
// among equals. It computes least sums from the end backwards and takes the first
// successor that attains them.
func (it *rowIterator) evaluate() {
	backward := it.g.Backward()
	it.best, it.taken = make([]uint32, len(it.g.Nodes)), make([]uint16, len(it.g.Nodes))
	it.choice, it.known = make([]uint32, len(it.rows)), make(map[string]uint32)
	for i, row := range it.rows {
		for _, n := range backward {
			if n == query.End {
				it.best[n] = 0
				continue
			}
			it.best[n] = columns.Absent
			for k, e := range it.nodes[n].succ {
				if it.best[e.to] == columns.Absent {
					continue
				}
				if c, _ := it.edgeCost(row, e); c != columns.Absent && c+it.best[e.to] < it.best[n] {
					it.best[n], it.taken[n] = c+it.best[e.to], uint16(k)
				}
			}
		}
		if it.cost[i] = it.best[query.Start]; it.cost[i] != columns.Absent {
			it.choice[i] = it.intern(row)
		}
	}
}

// intern numbers the path that evaluate chose for a row.
func (it *rowIterator) intern(row int32) uint32 {
	it.key = it.key[:0]
	for n := uint16(query.Start); ; {
		e := it.nodes[n].succ[it.taken[n]]
		if e.to == query.End {
			break
		}
		_, order := it.edgeCost(row, e)
		it.key = append(it.key, byte(e.to>>8), byte(e.to), byte(order>>24), byte(order>>16), byte(order>>8), byte(order))
		n = e.to
	}
	if i, ok := it.known[string(it.key)]; ok {
		return i
	}
	path := make(rule.Path, 0, len(it.key)/6)
	for k := it.key; len(k) > 0; k = k[6:] {
		path = append(path, rule.Step(uint16(k[0])<<8|uint16(k[1]), uint32(k[2])<<24|uint32(k[3])<<16|uint32(k[4])<<8|uint32(k[5])))
	}
	i := uint32(len(it.paths))
	it.paths = append(it.paths, path)
	it.known[string(it.key)] = i
	return i
}

// sort orders the rows by cost, then by document.
func (it *rowIterator) sort() {
	it.order = make([]int32, 0, len(it.rows))
	for i := range it.rows {
		if it.cost[i] != columns.Absent {
			it.order = append(it.order, int32(i))
		}
	}
	slices.SortStableFunc(it.order, func(a, b int32) int {
		return int(int64(it.cost[a]) - int64(it.cost[b]))
	})
}

// Next returns the documents of the next cost.
func (it *rowIterator) Next(context.Context, int) (b scope.Bucket, ok bool, err error) {
	if it.at == len(it.order) {
		return scope.Bucket{}, false, nil
	}
	from := it.at
	b.Cost = it.cost[it.order[from]]
	ords := make([]uint32, 0, 16)
	for ; it.at < len(it.order) && it.cost[it.order[it.at]] == b.Cost; it.at++ {
		ords = append(ords, it.t.Ords[it.rows[it.order[it.at]]])
	}
	b.Set = docset.FromSorted(ords)
	if it.chain == nil {
		b.Paths = it.good(it.order[from:it.at])
	}
	return b, true, nil
}

// good lists the distinct paths of some rows, sorted. Of paths through the same nodes
// only the first is needed.
func (it *rowIterator) good(order []int32) []rule.Path {
	seen := make([]bool, len(it.paths))
	var paths []rule.Path
	for _, i := range order {
		if c := it.choice[i]; !seen[c] {
			seen[c] = true
			paths = append(paths, it.paths[c])
		}
	}
	slices.SortFunc(paths, slices.Compare[rule.Path])
	out := paths[:0]
	for _, p := range paths {
		if !slices.ContainsFunc(out, func(q rule.Path) bool { return sameNodes(p, q) }) {
			out = append(out, p)
		}
	}
	return out
}

func sameNodes(p, q rule.Path) bool {
	return slices.EqualFunc(p, q, func(a, b uint64) bool { return a>>32 == b>>32 })
}
