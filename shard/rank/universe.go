package rank

import (
	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/wire"
)

// begin pins the terms and computes the filtered universe.
func (s *Session) begin(step *wire.BeginStep) (*wire.UniverseReply, error) {
	s.begun, s.terms, s.negatives = true, step.Terms, step.NegativePhrases
	s.embedder, s.target = step.Embedder, step.Vector
	s.costs = rule.CostContext{Terms: step.Terms, MaxWeight: s.schema.maxWeight}
	if step.Restricted {
		s.restrict(step.Fields)
	}
	s.docs = s.ix.Live()
	if step.Filter != nil {
		set, err := s.filter(step.Filter)
		if err != nil {
			return nil, err
		}
		s.docs = s.docs.And(set)
	}
	if err := s.subtractNegatives(step); err != nil {
		return nil, err
	}
	s.pin(step.Pinned)
	s.universe = s.docs
	if step.Reduced != nil {
		return s.reduce(step.Reduced)
	}
	return s.extent(), nil
}

// subtractNegatives takes the documents of negative words and phrases out of the
// scope.
func (s *Session) subtractNegatives(step *wire.BeginStep) error {
	for _, w := range step.NegativeWords {
		set, err := s.word(w, false)
		if err == nil && s.restricted {
			set, err = s.inFields(columnKey{text: w}, false, s.docs)
		}
		if err != nil {
			return err
		}
		s.docs = s.docs.AndNot(set)
	}
	for _, words := range step.NegativePhrases {
		set, err := s.phraseWithin(words, s.docs)
		if err != nil {
			return err
		}
		s.docs = s.docs.AndNot(set)
	}
	return nil
}

// reduce intersects the universe with the documents of a graph: the union over
// its paths of the documents of all their nodes (spec ranking 4).
func (s *Session) reduce(g *query.Graph) (*wire.UniverseReply, error) {
	reach := make([]docset.Set, len(g.Nodes))
	reach[query.Start] = s.docs
	order := g.Backward()
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		if n == query.End || reach[n].Empty() {
			continue
		}
		for _, next := range g.Nodes[n].Succ {
			set := reach[n]
			if next != query.End {
				leaf, err := s.leaf(query.Ref{Term: g.Nodes[next].Term, Sub: g.Nodes[next].Sub})
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
func (s *Session) frequency(step *wire.FrequencyStep) (*wire.FrequencyReply, error) {
	var sets []docset.Set
	for i := 2; i < len(step.Graph.Nodes); i++ {
		n := &step.Graph.Nodes[i]
		set, err := s.leafWithin(query.Ref{Term: n.Term, Sub: n.Sub}, s.ix.Live())
		if err != nil {
			return nil, err
		}
		t := &s.terms[n.Term]
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
