package rules

import (
	"context"
	"math/bits"
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// pathIterator finds the buckets of a rule whose conditions are sets. For each cost in
// turn, it explores the paths of exactly that cost depth first, by ascending successors
// and edges. Documents that satisfy all conditions of a path and are not taken yet join
// the bucket, and the path becomes a good one (spec ranking 5.3).
type pathIterator struct {
	s       *scope.Scope
	rule    *row
	g       *query.Graph
	removal *rule.Removal
	// toEnd holds, for each node, the set of costs from the node to End.
	toEnd []uint64
	// pending is the set of costs not tried yet.
	pending uint64

	// rest minus late are the documents without bucket, and left is their number. The
	// difference is computed lazily, because it is often not needed.
	rest docset.Set
	late []docset.Set
	left int
	// found are the documents of the paths with the present cost so far. Sets along a
	// path record how many of them they already exclude.
	found []docset.Set
	path  rule.Path
	paths []rule.Path
	skip  []query.Bits
	err   error

	// cost is the cost being explored. terms are the terms of the graph, touched those
	// whose typos were looked up, and asked records when.
	cost           uint32
	terms, touched uint64
	asked          []wire.Asked
}

func newPathIterator(s *scope.Scope, l *scope.Level) *pathIterator {
	it := &pathIterator{s: s, rule: rowOf(l.Start.Rule.Kind), g: l.Start.Graph, rest: l.Base, left: l.Base.Len()}
	if it.rule.removes {
		it.removal = rule.NewRemoval(it.g, s.Terms, l.Start.Strategy, l.Start.Frequency)
	}
	it.touched = l.Start.Touched
	for i := 2; i < len(it.g.Nodes); i++ {
		if n := &it.g.Nodes[i]; n.Sub&(query.One|query.Two) != 0 {
			it.terms |= 1 << n.Term
		}
	}
	it.toEnd = make([]uint64, len(it.g.Nodes))
	it.toEnd[query.End] = 1
	for _, n := range it.g.Backward() {
		for _, next := range it.g.Nodes[n].Succ {
			it.edges(next, func(e edge) bool {
				it.toEnd[n] |= it.toEnd[next] << e.cost
				return true
			})
		}
	}
	it.pending = it.toEnd[query.Start]
	return it
}

// edge is one edge between two given nodes. A free edge has no condition.
type edge struct {
	order uint32
	cost  uint32
	free  bool
}

// mostEdges is one for each number of typos.
const mostEdges = 3

// edges are those between two given nodes, in exploration order.
type edges struct {
	n  int
	of [mostEdges]edge
}

// some returns the given edges, mostEdges or fewer.
func some(list ...edge) (e edges) {
	e.n = copy(e.of[:], list)
	return e
}

// edges calls f for the edges to a node in exploration order until f returns false.
func (it *pathIterator) edges(to uint16, f func(edge) bool) {
	if to == query.End {
		f(edge{free: true})
		return
	}
	list := it.rule.edges(it, to)
	for i := range list.n {
		if !f(list.of[i]) {
			return
		}
	}
}

// size returns the number of words of a node's term.
func (it *pathIterator) size(n uint16) uint32 { return uint32(it.s.Terms[it.g.Nodes[n].Term].Size()) }

// condition returns the documents that satisfy an edge to a node.
func (it *pathIterator) condition(to uint16, e edge) (docset.Set, error) {
	n := &it.g.Nodes[to]
	ref, exact := query.Ref{Term: n.Term, Sub: n.Sub}, false
	if it.rule.narrow != nil {
		ref.Sub, exact = it.rule.narrow(ref.Sub, e)
	}
	if exact {
		return it.s.Exact(ref)
	}
	return it.s.Leaf(ref)
}

// remaining returns the documents without bucket.
func (it *pathIterator) remaining() docset.Set {
	if len(it.late) > 0 {
		it.rest, it.late = it.rest.AndNot(docset.Union(it.late...)), it.late[:0]
	}
	return it.rest
}

// Next tries the pending costs until one has documents.
func (it *pathIterator) Next(context.Context, int) (b scope.Bucket, ok bool, err error) {
	for it.pending != 0 && it.left > 0 {
		cost := uint32(bits.TrailingZeros64(it.pending))
		it.pending &^= 1 << cost
		it.cost = cost
		it.found, it.paths, it.path, it.skip = it.found[:0], nil, it.path[:0], it.skip[:0]
		it.visit(query.Start, cost, it.remaining(), 0)
		if it.err != nil {
			return scope.Bucket{}, false, it.err
		}
		if len(it.found) > 0 {
			return scope.Bucket{Set: docset.Union(it.found...), Cost: cost, Paths: it.paths}, true, nil
		}
	}
	return scope.Bucket{}, false, nil
}

// maxOutdated bounds the found sets that a set along a path may still contain. The next
// condition usually shrinks the set, and then they are cheap to remove.
const maxOutdated = 4

// untaken removes the found sets from docs, except for the first `taken`.
func (it *pathIterator) untaken(docs docset.Set, taken int) docset.Set {
	for _, set := range it.found[taken:] {
		docs = docs.AndNot(set)
	}
	return docs
}

// visit explores the paths from a node with the given cost left. docs satisfy the path
// so far and exclude the first `taken` found sets. It returns false when exploration is
// over.
func (it *pathIterator) visit(n uint16, cost uint32, docs docset.Set, taken int) bool {
	for _, to := range it.g.Nodes[n].Succ {
		goOn := true
		it.edges(to, func(e edge) bool {
			if !it.leads(to, e, cost) {
				return true
			}
			if len(it.found)-taken > maxOutdated {
				docs, taken = docs.And(it.remaining()), len(it.found)
			}
			if docs.Empty() || it.left == 0 {
				it.ask(to, e, cost-e.cost)
				return true
			}
			goOn = it.follow(to, e, cost-e.cost, docs, taken)
			return goOn
		})
		if !goOn {
			return false
		}
	}
	return true
}

// leads reports whether an edge belongs to some path with the given cost left.
func (it *pathIterator) leads(to uint16, e edge, cost uint32) bool {
	return e.cost <= cost && it.toEnd[to]>>(cost-e.cost)&1 != 0 && (e.free || !it.mustSkip(to))
}

// ask records the next conditions after a path prefix whose documents were all taken by
// other paths. They count as queried, too.
func (it *pathIterator) ask(to uint16, e edge, cost uint32) {
	if to == query.End {
		return
	}
	it.note(to, e)
	if !e.free {
		return
	}
	it.push(to, e)
	for _, next := range it.g.Nodes[to].Succ {
		it.edges(next, func(e edge) bool {
			if it.leads(next, e, cost) {
				it.ask(next, e, cost-e.cost)
			}
			return true
		})
	}
	it.pop(e)
}

// note records the query for an edge's condition if it is the first to look up the
// typos of a term.
func (it *pathIterator) note(to uint16, e edge) {
	if e.free {
		return
	}
	n := &it.g.Nodes[to]
	sub, exact := n.Sub, false
	if it.rule.narrow != nil {
		sub, exact = it.rule.narrow(sub, e)
	}
	if exact {
		return
	}
	if bit := uint64(1) << n.Term; sub&(query.One|query.Two) != 0 && it.touched&bit == 0 {
		it.touched |= bit
		path := append(slices.Clone(it.path), rule.Step(to, e.order))
		it.asked = append(it.asked, wire.Asked{Term: n.Term, Cost: it.cost, Path: path})
	}
}

// TakeAsked returns the records since the last call.
func (it *pathIterator) TakeAsked() []wire.Asked {
	asked := it.asked
	it.asked = nil
	return asked
}

// push appends an edge to the path, and pop removes it.
func (it *pathIterator) push(to uint16, e edge) {
	if e.free {
		it.skip = append(it.skip, it.removal.Earlier(to))
	}
	it.path = append(it.path, rule.Step(to, e.order))
}

func (it *pathIterator) pop(e edge) {
	if e.free {
		it.skip = it.skip[:len(it.skip)-1]
	}
	it.path = it.path[:len(it.path)-1]
}

// follow takes one edge.
func (it *pathIterator) follow(to uint16, e edge, cost uint32, docs docset.Set, taken int) bool {
	if to == query.End {
		if docs = it.untaken(docs, taken); docs.Empty() {
			return true
		}
		it.found = append(it.found, docs)
		it.paths = append(it.paths, slices.Clone(it.path))
		it.late, it.left = append(it.late, docs), it.left-docs.Len()
		return it.left > 0 || it.curious()
	}
	if !e.free {
		it.note(to, e)
		set, err := it.condition(to, e)
		if err != nil {
			it.err = err
			return false
		}
		if docs = it.untaken(docs.And(set), taken); docs.Empty() {
			return true
		}
		taken = len(it.found)
	}
	it.push(to, e)
	goOn := it.visit(to, cost, docs, taken)
	it.pop(e)
	return goOn
}

// curious reports whether exploration continues without documents, because other shards
// may have some: as long as the typos of a term were not looked up.
func (it *pathIterator) curious() bool { return it.terms&^it.touched != 0 }

// mustSkip reports whether a skipped node of the path forbids visiting a node.
func (it *pathIterator) mustSkip(n uint16) bool {
	for _, b := range it.skip {
		if b.Has(n) {
			return true
		}
	}
	return false
}
