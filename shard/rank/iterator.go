package rank

import (
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
	// outermost tells that no other level lies above.
	outermost bool
}

// iterator yields the buckets of a rule in order, non-empty ones only.
type iterator interface {
	// next returns the next bucket; ok is false when there is none. want is how
	// many documents the driver still looks for.
	next(want int) (b bucket, ok bool, err error)
}

// asker is the iterator of a rule that looks up typos while it explores.
type asker interface {
	// takeAsked returns what was looked up since the last call.
	takeAsked() []wire.Asked
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

// validGraph tells whether a graph fits the pinned terms.
func (s *Scope) validGraph(g *query.Graph) bool {
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

// firstOrdinals lists the first n documents of a set.
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
