package rules

import (
	"context"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/rank/scope"
)

// Open makes the iterator of a level, over what is left of it. A graph that does
// not fit the pinned terms is ErrOrder.
func Open(ctx context.Context, s *scope.Scope, l *scope.Level) (scope.Iterator, error) {
	r, g := l.Start.Rule, l.Start.Graph
	if r.Kind.Ranked() && (g == nil || !s.ValidGraph(g)) {
		return nil, scope.ErrOrder
	}
	switch r.Kind {
	case rule.Words, rule.Typo, rule.ExactWords:
		return newPathIterator(s, l), nil
	case rule.Proximity, rule.AttributeRank, rule.WordPosition:
		if trivial(s, r.Kind, g) {
			return newPathIterator(s, l), nil
		}
		return newRowIterator(s, l)
	case rule.ExactAttribute:
		return newExactAttribute(s, l)
	case rule.Sort:
		return newSortIterator(s, l), nil
	case rule.Geo:
		return newGeoStream(s, l)
	case rule.Vector:
		return newVectorStream(ctx, s, l)
	}
	return nil, scope.ErrOrder
}

// trivial tells whether a rule's costs do not depend on where words stand, so
// that its conditions are the leafs themselves.
func trivial(s *scope.Scope, kind rule.Kind, g *query.Graph) bool {
	switch kind {
	case rule.Proximity:
		for i := 2; i < len(g.Nodes); i++ {
			for _, next := range g.Nodes[i].Succ {
				if next != query.End && rule.Adjacent(&s.Terms[g.Nodes[i].Term], &s.Terms[g.Nodes[next].Term]) {
					return false
				}
			}
		}
		return true
	case rule.AttributeRank:
		return s.Schema.MaxWeight == 0 && !s.Schema.AnyExact && !s.Restricted
	}
	return false
}
