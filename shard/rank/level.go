package rank

import (
	"context"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/wire"
)

// level is one nesting level of the bucket sort: a rule ranking the documents of
// one bucket of the level above.
type level struct {
	start wire.StartRule
	// base are the documents the rule ranks, those of the consumed items and the
	// excluded ones taken out whenever documents are excluded.
	base  docset.Set
	items []docset.Set
	// stream are the documents of a Geo or Vector rule given out so far; they are
	// its items.
	stream []wire.Streamed
	rule   iterator
	done   bool
}

// iterator yields the buckets of a rule in order, non-empty ones only.
type iterator interface {
	// next returns the next bucket; ok is false when there is none. want is how
	// many documents the driver still looks for.
	next(want int) (b bucket, ok bool, err error)
}

// stream is the iterator of a rule that yields single documents.
type stream interface {
	iterator
	// more gives out the next n documents, fewer at the end.
	more(n int) []wire.Streamed
	empty() bool
}

// bucket is one answer of an iterator.
type bucket struct {
	set   docset.Set
	cost  uint32
	paths []rule.Path
	value wire.SortValue
}

// streams tells whether a rule yields single documents that the driver groups.
func streams(kind rule.Kind) bool { return kind == rule.Geo || kind == rule.Vector }

// buckets starts or continues a rule.
func (s *Session) buckets(ctx context.Context, step *wire.BucketsStep) (*wire.BucketsReply, error) {
	if step.Level < 0 || step.Level > len(s.levels) || step.Start == nil && step.Level >= len(s.levels) {
		return nil, ErrOrder
	}
	if step.Start != nil {
		base, err := s.parent(step.Level, step.Start)
		if err != nil {
			return nil, err
		}
		s.levels = append(s.levels[:step.Level], &level{start: *step.Start, base: base})
	}
	l := s.levels[step.Level]
	r := &wire.BucketsReply{}
	if step.Want <= 0 {
		r.More = !l.done
		return r, nil
	}
	if err := s.open(ctx, l); err != nil {
		return nil, err
	}
	if streams(l.start.Rule.Kind) {
		return r, s.nextStreamed(l, step.Want, r)
	}
	for got := 0; got < step.Want && !l.done; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, ok, err := l.rule.next(step.Want - got)
		if err != nil {
			return nil, err
		}
		if !ok {
			l.done = true
			break
		}
		l.items = append(l.items, b.set)
		out := wire.Bucket{Cost: b.cost, Count: uint32(b.set.Len()), Paths: b.paths, Value: b.value}
		if step.Ordinals {
			out.Ordinals = firstOrdinals(b.set, step.Want-got)
		}
		got += b.set.Len()
		r.Buckets = append(r.Buckets, out)
	}
	r.More = !l.done
	if it, ok := l.rule.(*pathIterator); ok {
		r.Asked, it.asked = it.asked, nil
	}
	return r, nil
}

// parent returns the documents over which a rule starts.
func (s *Session) parent(at int, start *wire.StartRule) (docset.Set, error) {
	if at == 0 {
		return s.universe, nil
	}
	return s.levels[at-1].chosen(start.Lo, start.Hi)
}

// chosen returns the documents of the items [lo, hi) of a level.
func (l *level) chosen(lo, hi int) (docset.Set, error) {
	count := len(l.items)
	if streams(l.start.Rule.Kind) {
		count = len(l.stream)
	}
	all := hi == wire.AllItems
	switch {
	case all && lo == wire.AllItems:
		return docset.Set{}, nil
	case all:
		hi = lo
	}
	if lo < 0 || lo > hi || hi > count {
		return docset.Set{}, ErrOrder
	}
	if all {
		return l.base.AndNot(l.given(0, lo)), nil
	}
	return l.given(lo, hi), nil
}

// given returns the documents of items that were given out.
func (l *level) given(lo, hi int) docset.Set {
	if !streams(l.start.Rule.Kind) {
		if hi == lo+1 {
			return l.items[lo]
		}
		return docset.Union(l.items[lo:hi]...)
	}
	var b docset.Builder
	for i := lo; i < hi; i++ {
		b.Add(l.stream[i].Ordinal)
	}
	return b.Set()
}

// rest returns the documents of a level without those of its first n items.
func (l *level) rest(n int) (docset.Set, error) { return l.chosen(n, wire.AllItems) }

// open makes the iterator of a level, over what is left of it.
func (s *Session) open(ctx context.Context, l *level) error {
	if l.rule != nil || l.done {
		return nil
	}
	if l.base.Empty() {
		l.done = true
		return nil
	}
	r, g := l.start.Rule, l.start.Graph
	if r.Kind.Ranked() && (g == nil || !s.validGraph(g)) {
		return ErrOrder
	}
	var err error
	switch r.Kind {
	case rule.Words, rule.Typo, rule.ExactWords:
		l.rule = newPathIterator(s, l)
	case rule.Proximity, rule.AttributeRank, rule.WordPosition:
		if s.trivial(r.Kind, g) {
			l.rule = newPathIterator(s, l)
		} else {
			l.rule, err = newRowIterator(s, l)
		}
	case rule.ExactAttribute:
		l.rule, err = newExactAttribute(s, l)
	case rule.Sort:
		l.rule = newSortIterator(s, l)
	case rule.Geo:
		l.rule, err = newGeoStream(s, l)
	case rule.Vector:
		l.rule, err = newVectorStream(ctx, s, l)
	default:
		return ErrOrder
	}
	return err
}

// validGraph tells whether a graph fits the pinned terms.
func (s *Session) validGraph(g *query.Graph) bool {
	for i := range g.Nodes {
		if i >= 2 && int(g.Nodes[i].Term) >= len(s.terms) {
			return false
		}
		for _, next := range g.Nodes[i].Succ {
			if int(next) >= len(g.Nodes) {
				return false
			}
		}
	}
	return len(g.Nodes) >= 2
}

// trivial tells whether a rule's costs do not depend on where words stand, so
// that its conditions are the leafs themselves.
func (s *Session) trivial(kind rule.Kind, g *query.Graph) bool {
	switch kind {
	case rule.Proximity:
		for i := 2; i < len(g.Nodes); i++ {
			for _, next := range g.Nodes[i].Succ {
				if next != query.End && rule.Adjacent(&s.terms[g.Nodes[i].Term], &s.terms[g.Nodes[next].Term]) {
					return false
				}
			}
		}
		return true
	case rule.AttributeRank:
		return s.schema.maxWeight == 0 && !s.schema.anyExact && !s.restricted
	}
	return false
}

// nextStreamed gives out the next documents of a stream.
func (s *Session) nextStreamed(l *level, want int, r *wire.BucketsReply) error {
	if l.done {
		return nil
	}
	stream := l.rule.(stream)
	r.Stream = stream.more(want)
	l.stream = append(l.stream, r.Stream...)
	l.done = stream.empty()
	r.More = !l.done
	return nil
}

func firstOrdinals(set docset.Set, n int) []uint32 {
	if n >= set.Len() {
		return set.AppendTo(make([]uint32, 0, set.Len()))
	}
	out := make([]uint32, 0, n)
	set.Each(func(ord uint32) bool {
		out = append(out, ord)
		return len(out) < n
	})
	return out
}
