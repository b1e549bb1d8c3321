package rank

import (
	"context"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/rank/byattribute"
	"shoal/shard/rank/scope"
	"shoal/shard/rank/topk"
	"shoal/wire"
)

// selection returns the documents of the items [lo, hi) of a level.
func (s *Ranker) selection(at, lo, hi int) (docset.Set, error) {
	switch {
	case at == wire.WholeUniverse:
		return s.Found(), nil
	case at < 0 || at >= len(s.levels):
		return docset.Set{}, scope.ErrOrder
	}
	return s.levels[at].Chosen(lo, hi)
}

// take lists documents of a level.
func (s *Ranker) take(ctx context.Context, step *wire.TakeStep) (*wire.TakeReply, error) {
	set, err := s.selection(step.Level, step.Lo, step.Hi)
	if err != nil {
		return nil, err
	}
	order := s.Index.Order()
	set = order.From(set, step.From)
	r := &wire.TakeReply{Count: uint64(set.Len())}
	if !step.HasDistinct || step.Limit == 0 {
		r.Ordinals = order.FirstOrdinals(set, step.Limit)
		return r, nil
	}
	first := order.First(set, step.Limit)
	if step.Limit == wire.AllItems {
		first, r.Values, err = s.distinct(ctx, first, step.Distinct)
	} else {
		r.Values, err = s.distinctValues(first, step.Distinct)
	}
	r.Ordinals = order.Ordinals(first)
	return r, err
}

// distinct returns some rows, in their order, with their values in a field. It may leave
// out rows with the same values as an earlier one, which can not be kept beside that.
func (s *Ranker) distinct(ctx context.Context, rows []uint32, field uint16) ([]uint32, []wire.DistinctValues, error) {
	if s.facets != nil {
		first, values, ok, err := s.columns.Distinct(ctx, s.facets, field, rows)
		if ok || err != nil {
			return first, values, err
		}
	}
	values, err := s.distinctValues(rows, field)
	return rows, values, err
}

// drop removes documents from the candidates.
func (s *Ranker) drop(step *wire.DropStep) error {
	if step.Listed {
		s.dead = s.dead.Or(s.Index.Order().Set(step.Ordinals))
		return nil
	}
	set, err := s.selection(step.Level, step.Lo, step.Hi)
	if err == nil {
		s.dead = s.dead.Or(set.AndNot(s.Index.Order().Set(step.Keep)))
	}
	return err
}

// exclude removes the documents that share a value with a kept one from every level and
// from the candidates (spec ranking 6.1).
func (s *Ranker) exclude(ctx context.Context, step *wire.ExcludeStep) error {
	excluded, err := s.sharing(ctx, step.Field, step.Values)
	if err != nil {
		return err
	}
	s.dead = s.dead.Or(excluded).AndNot(s.Index.Order().Set(step.Keep))
	for i, n := range step.Consumed {
		if i >= len(s.levels) {
			return scope.ErrOrder
		}
		if err := restart(s.levels[i], n, excluded); err != nil {
			return err
		}
	}
	s.levels = s.levels[:len(step.Consumed)]
	return nil
}

// sharing returns the documents of the universe that have one of some values.
func (s *Ranker) sharing(ctx context.Context, field uint16, values wire.DistinctValues) (docset.Set, error) {
	if s.facets != nil {
		set, ok, err := s.columns.Sharing(ctx, s.facets, field, values, s.universe)
		if ok || err != nil {
			return set, err
		}
	}
	var sets []docset.Set
	for _, v := range values.Numbers {
		set, err := s.Index.Number(field, v)
		if err != nil {
			return docset.Set{}, err
		}
		sets = append(sets, set)
	}
	for _, v := range values.Strings {
		set, err := s.Index.String(field, v)
		if err != nil {
			return docset.Set{}, err
		}
		sets = append(sets, set)
	}
	return docset.Union(sets...).And(s.universe), nil
}

// restart drops what a level prepared beyond its first n items. With fewer documents
// left, buckets and good paths may differ.
func restart(l *scope.Level, n int, excluded docset.Set) error {
	rest, err := l.Rest(n)
	if err != nil {
		return err
	}
	rest = rest.AndNot(excluded)
	if scope.Streams(l.Start.Rule.Kind) {
		l.Stream = l.Stream[:0]
	} else {
		l.Items = l.Items[:0]
	}
	l.Base, l.Done = rest, rest.Empty()
	switch it := l.Rule.(type) {
	case *byattribute.Rule: // continues with the rest
	case scope.Resumer:
		it.Resume(rest)
	default:
		l.Rule = nil
	}
	return nil
}

// candidates counts the documents that count as found, or lists them with the pinned
// ones.
func (s *Ranker) candidates(ctx context.Context, step *wire.CandidatesStep) (*wire.CandidatesReply, error) {
	found := s.Found()
	r := &wire.CandidatesReply{Count: uint64(found.Len())}
	if !step.HasDistinct {
		return r, nil
	}
	order := s.Index.Order()
	list, values, err := s.distinct(ctx, order.Sorted(s.Counted()), step.Distinct)
	r.Ordinals, r.Values = order.Ordinals(list), values
	return r, err
}

// narrow reduces the candidates and the pinned documents to the given ones.
func (s *Ranker) narrow(step *wire.NarrowStep) {
	kept := s.Index.Order().Set(step.Ordinals)
	s.dead, s.pinned = s.universe.AndNot(kept), s.pinned.And(kept)
}

// distinctValues reads the facet values of documents in a field.
func (s *Ranker) distinctValues(rows []uint32, field uint16) ([]wire.DistinctValues, error) {
	out := make([]wire.DistinctValues, len(rows))
	for i, row := range rows {
		v, ok, err := s.Index.Values(row)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		f, ok := v.Field(field)
		if !ok {
			continue
		}
		for n := range f.Numbers() {
			out[i].Numbers = append(out[i].Numbers, n)
		}
		for form := range f.Strings() {
			out[i].Strings = append(out[i].Strings, string(form))
		}
	}
	return out, nil
}

// streamed returns a list of documents with their ordinals instead of rows.
func (s *Ranker) streamed(list []wire.Streamed) []wire.Streamed {
	order := s.Index.Order()
	if order == nil {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Ordinal = order.Ordinal(list[i].Ordinal)
	}
	return list
}

// top finds the best documents of a selection by several rules at once.
func (s *Ranker) top(ctx context.Context, step *wire.TopStep) (*wire.TopReply, error) {
	set, err := s.selection(step.Level, step.Lo, step.Hi)
	if err != nil {
		return nil, err
	}
	var lists *facet.Lists
	if step.HasDistinct && !set.Empty() {
		if lists, err = s.lists(ctx, step.Distinct, set.Len()); lists == nil || err != nil {
			return &wire.TopReply{Declined: true}, err
		}
	}
	r, err := topk.Best(ctx, &s.Scope, step, set, lists)
	if err == nil {
		r.Ordinals = s.Index.Order().Ordinals(r.Ordinals)
	}
	return r, err
}

// lists returns the lists of values of a field, for a lookup of n documents. It returns nil if
// reading the values of all of them is no slower.
func (s *Ranker) lists(ctx context.Context, field uint16, n int) (*facet.Lists, error) {
	if s.facets == nil {
		return nil, nil
	}
	return s.columns.Lists(ctx, s.facets, field, n)
}

// CheckOrder compares both ways of reading the documents of a step (topk.CheckOrder).
// For tests.
func (s *Ranker) CheckOrder(ctx context.Context, step *wire.TopStep) (told, untold int, err error) {
	set, err := s.selection(step.Level, step.Lo, step.Hi)
	if err != nil {
		return 0, 0, err
	}
	return topk.CheckOrder(ctx, &s.Scope, step, set)
}
