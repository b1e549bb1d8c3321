package rank

import (
	"context"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/wire"
)

// begin pins the terms and computes the filtered universe.
func (s *Ranker) begin(ctx context.Context, step *wire.BeginStep) (*wire.UniverseReply, error) {
	s.begun, s.Terms, s.negatives = true, step.Terms, step.NegativePhrases
	s.Embedder, s.Target = step.Embedder, step.Vector
	s.Costs = rule.CostContext{Terms: step.Terms, MaxWeight: s.Schema.MaxWeight}
	if step.Restricted {
		s.Restrict(step.Fields)
	}
	s.Docs = s.Index.Live()
	if step.Filter != nil {
		set, err := s.filter(ctx, step.Filter)
		if err != nil {
			return nil, err
		}
		s.Docs = s.Docs.And(set)
	}
	s.pin(step.Pinned)
	if err := s.subtractNegatives(step); err != nil {
		return nil, err
	}
	if err := s.scale(ctx, step.Scaling); err != nil {
		return nil, err
	}
	s.universe = s.Docs
	if step.Reduced != nil {
		return s.reduce(step.Reduced)
	}
	return s.extent(), nil
}

// subtractNegatives removes the documents of negative words and phrases from the scope.
func (s *Ranker) subtractNegatives(step *wire.BeginStep) error {
	for _, w := range step.NegativeWords {
		set, err := s.Word(w, false)
		if err == nil && s.Restricted {
			set, err = s.InFields(columns.Key{Text: w}, false, s.Docs)
		}
		if err != nil {
			return err
		}
		s.Docs = s.Docs.AndNot(set)
	}
	for _, words := range step.NegativePhrases {
		set, err := s.PhraseWithin(words, s.Docs)
		if err != nil {
			return err
		}
		s.Docs = s.Docs.AndNot(set)
	}
	return nil
}

// reduce intersects the universe with the documents of a graph: the union over its
// paths of the documents of all their nodes (spec ranking 4).
func (s *Ranker) reduce(g *query.Graph) (*wire.UniverseReply, error) {
	reach := make([]docset.Set, len(g.Nodes))
	reach[query.Start] = s.Docs
	order := g.Backward()
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		if n == query.End || reach[n].Empty() {
			continue
		}
		for _, next := range g.Nodes[n].Succ {
			set := reach[n]
			if next != query.End {
				leaf, err := s.Leaf(query.Ref{Term: g.Nodes[next].Term, Sub: g.Nodes[next].Sub})
				if err != nil {
					return nil, err
				}
				set = set.And(leaf)
			}
			reach[next] = reach[next].Or(set)
		}
	}
	s.universe = reach[query.End]
	return s.extent(), nil
}

// frequency counts the documents of each term id over the whole index.
func (s *Ranker) frequency(step *wire.FrequencyStep) (*wire.FrequencyReply, error) {
	var sets []docset.Set
	for i := 2; i < len(step.Graph.Nodes); i++ {
		n := &step.Graph.Nodes[i]
		set, err := s.LeafWithin(query.Ref{Term: n.Term, Sub: n.Sub}, s.Index.Live())
		if err != nil {
			return nil, err
		}
		t := &s.Terms[n.Term]
		for len(sets) <= int(t.LastID) {
			sets = append(sets, docset.Set{})
		}
		for id := t.FirstID; id <= t.LastID; id++ {
			sets[id] = sets[id].Or(set)
		}
	}
	r := &wire.FrequencyReply{Counts: make([]uint64, len(sets))}
	for i, set := range sets {
		r.Counts[i] = uint64(set.Len())
	}
	return r, nil
}
