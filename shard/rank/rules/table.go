package rules

import (
	"context"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
)

// row describes how a rule evaluates documents. To add a rule, add its row here. Its
// costs and its name are in the table of query/rule.
type row struct {
	// open creates the iterator of a level that is not empty.
	open func(ctx context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error)
	// For rules by paths: edges lists the edges to a node other than End, in
	// exploration order. narrow returns the derivations of the node that an edge
	// leaves, or exact for its exact form; nil leaves all. removes means that a path
	// may skip nodes.
	edges   func(it *pathIterator, to uint16) edges
	narrow  func(sub query.Subset, e edge) (left query.Subset, exact bool)
	removes bool
	// For rules by rows: edgeCost returns the least cost of an edge for a document,
	// columns.Absent if it can take none; order ranks the edge among those between the
	// same nodes. pairs means that the cost depends on the node before.
	edgeCost func(it *rowIterator, row int32, e rowEdge) (cost, order uint32)
	pairs    bool
}

var table [rule.Kinds]row

func init() { // in init, because rows name functions that look up rows
	table = [rule.Kinds]row{
		rule.Words:         {open: byPaths, edges: wordsEdges, removes: true},
		rule.Typo:          {open: byPaths, edges: typoEdges, narrow: typoGroup},
		rule.Proximity:     {open: byPlaces(nothingNear), edges: proximityEdges, edgeCost: proximityCost, pairs: true},
		rule.AttributeRank: {open: byPlaces(oneWeight), edges: oneEdge, edgeCost: weightCost},
		rule.WordPosition:  {open: byPlaces(never), edges: oneEdge, edgeCost: distanceCost},
		rule.ExactAttribute: {open: func(_ context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
			return newExactAttribute(s, l)
		}},
		rule.ExactWords: {open: byPaths, edges: exactEdges, narrow: exactForm},
		rule.Sort: {open: func(_ context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
			return newSortIterator(s, l), nil
		}},
		rule.Geo: {open: func(ctx context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
			return newGeoStream(ctx, s, l)
		}},
		rule.Random: {open: func(_ context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
			return newRandomIterator(s, l), nil
		}},
		rule.Vector: {open: func(_ context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
			return newVectorStream(s, l)
		}},
	}
}

// rowOf returns the row of a kind. A kind of a newer program gets the row that opens
// nothing.
func rowOf(k rule.Kind) *row {
	if int(k) < len(table) {
		return &table[k]
	}
	return &table[0]
}

// Open creates the iterator of a level over its remaining documents. The error is
// ErrOrder for a graph that does not fit the pinned terms and for an unknown rule.
func Open(ctx context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
	r, g := l.Start.Rule, l.Start.Graph
	if r.Kind.Ranked() && (g == nil || !s.ValidGraph(g)) {
		return nil, scope.ErrOrder
	}
	open := rowOf(r.Kind).open
	if open == nil {
		return nil, scope.ErrOrder
	}
	return open(ctx, s, l)
}

func byPaths(_ context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
	return newPathIterator(s, l), nil
}

// byPlaces ranks by positions of words, unless they do not matter. Then the conditions
// of the rule are the leaves themselves.
func byPlaces(trivial func(s *scope.Scope, g *query.Graph) bool) func(context.Context, *scope.Scope, *scope.Level) (scope.Iterator, error) {
	return func(_ context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
		if trivial(s, l.Start.Graph) {
			return newPathIterator(s, l), nil
		}
		return newRowIterator(s, l)
	}
}

func never(*scope.Scope, *query.Graph) bool { return false }

// nothingNear reports that no terms are neighbours, so that proximity does not count.
func nothingNear(s *scope.Scope, g *query.Graph) bool {
	for i := 2; i < len(g.Nodes); i++ {
		for _, next := range g.Nodes[i].Succ {
			if next != query.End && rule.Adjacent(&s.Terms[g.Nodes[i].Term], &s.Terms[g.Nodes[next].Term]) {
				return false
			}
		}
	}
	return true
}

// oneWeight reports that all fields have the same weight.
func oneWeight(s *scope.Scope, _ *query.Graph) bool {
	return s.Schema.MaxWeight == 0 && !s.Schema.AnyExact && !s.Restricted
}

func wordsEdges(it *pathIterator, to uint16) edges {
	visit := edge{order: rule.Visit}
	if it.removal.Removable(to) {
		return some(edge{order: rule.Skip, cost: it.size(to), free: true}, visit)
	}
	return some(visit)
}

func typoEdges(it *pathIterator, to uint16) (e edges) {
	n := &it.g.Nodes[to]
	t := &it.s.Terms[n.Term]
	base := rule.TypoBase(t)
	for typos := range t.MaxTypos(n.Sub) + 1 {
		e.of[typos] = edge{order: uint32(typos), cost: base + uint32(typos)}
		e.n++
	}
	return e
}

func typoGroup(sub query.Subset, e edge) (left query.Subset, exact bool) {
	return sub.TypoGroup(int(e.order)), false
}

func exactEdges(it *pathIterator, to uint16) edges {
	return some(edge{order: 0}, edge{order: 1, cost: it.size(to)})
}

func exactForm(sub query.Subset, e edge) (left query.Subset, exact bool) { return sub, e.order == 0 }

func proximityEdges(it *pathIterator, to uint16) edges {
	return some(edge{cost: it.size(to) - 1})
}

func oneEdge(*pathIterator, uint16) edges { return some(edge{}) }

func weightCost(it *rowIterator, row int32, e rowEdge) (cost, order uint32) {
	w := it.t.Weight[int(row)*len(it.t.Refs)+it.nodes[e.to].slot]
	return w, w
}

func distanceCost(it *rowIterator, row int32, e rowEdge) (cost, order uint32) {
	n := &it.nodes[e.to]
	c := columns.PositionCost(it.t.Distance[int(row)*len(it.t.Refs)+n.slot], n.size)
	return c, c
}

func proximityCost(it *rowIterator, row int32, e rowEdge) (cost, order uint32) {
	n := &it.nodes[e.to]
	if e.pair >= 0 {
		if d := it.t.Near[int(row)*len(it.t.Pairs)+e.pair]; d < rule.FarProximity {
			return n.size - 1 + uint32(d), uint32(d)
		}
	}
	if !it.t.IsMember(n.slot, row) {
		return columns.Absent, 0
	}
	if e.pair >= 0 {
		return n.size - 1 + rule.FarProximity, rule.FarProximity
	}
	return n.size - 1, 0
}
