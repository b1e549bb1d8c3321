package rank

import (
	"context"
	"slices"

	"shoal/shard/docset"
	"shoal/wire"
)

// weighed is the part of the scope with one weight.
type weighed struct {
	weight float64
	docs   docset.Set
}

// maxWeight keeps products of weights finite.
const maxWeight = 1e200

// scale divides the scope by weight. It drops documents of weight 0 and, with Only, all
// of another weight.
func (s *Ranker) scale(ctx context.Context, step *wire.Scaling) error {
	if step == nil {
		return nil
	}
	s.parts, s.sets = []weighed{{1, s.Docs}}, make([]docset.Set, len(step.Sets))
	kept := s.Docs
	for i := range step.Sets {
		set, err := s.scaledSet(ctx, &step.Sets[i])
		if err != nil {
			return err
		}
		s.sets[i] = set
		if step.Sets[i].Weight == 0 {
			kept = kept.AndNot(set)
		}
		if len(s.parts) <= step.Most {
			s.divide(set, step.Sets[i].Weight)
		}
	}
	s.Docs = kept
	if step.Only != nil {
		s.Docs = docset.Set{}
		if at := slices.IndexFunc(s.parts, func(p weighed) bool { return p.weight == *step.Only }); at >= 0 {
			s.Docs = s.parts[at].docs
		}
	}
	return nil
}

// scaledSet returns the documents of a set that are in scope.
func (s *Ranker) scaledSet(ctx context.Context, x *wire.ScaledSet) (docset.Set, error) {
	set := s.Index.Order().Set(x.Ordinals)
	if x.Filter != nil {
		passing, err := s.filter(ctx, x.Filter)
		if err != nil {
			return set, err
		}
		set = set.Or(passing)
	}
	return set.And(s.Docs), nil
}

// divide multiplies the weights of the documents of a set.
func (s *Ranker) divide(set docset.Set, weight float64) {
	var next []weighed
	add := func(weight float64, docs docset.Set) {
		if docs.Empty() || weight == 0 {
			return
		}
		if at := slices.IndexFunc(next, func(p weighed) bool { return p.weight == weight }); at >= 0 {
			next[at].docs = next[at].docs.Or(docs)
		} else {
			next = append(next, weighed{weight, docs})
		}
	}
	for _, p := range s.parts {
		add(p.weight, p.docs.AndNot(set))
		add(min(p.weight*weight, maxWeight), p.docs.And(set))
	}
	s.parts = next
}

// tellWeights lists the weights in the scope and in the universe.
func (s *Ranker) tellWeights(r *wire.UniverseReply) {
	for _, p := range s.parts {
		r.Weights = append(r.Weights, p.weight)
		if !p.docs.And(s.universe).Empty() {
			r.Matched = append(r.Matched, p.weight)
		}
	}
	slices.Sort(r.Weights)
	slices.Sort(r.Matched)
}

// held reports which sets contain the documents.
func (s *Ranker) held(step *wire.HeldStep) *wire.HeldReply {
	r := &wire.HeldReply{Sets: make([][]uint32, len(step.Ordinals))}
	for i, row := range s.Index.Order().Rows(step.Ordinals) {
		for at := range s.sets {
			if s.sets[at].Contains(row) {
				r.Sets[i] = append(r.Sets[i], uint32(at))
			}
		}
	}
	return r
}
