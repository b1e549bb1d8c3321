package scope

import (
	"context"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/wire"
)

// Level is one nesting level of the bucket sort: a rule that ranks the documents of one
// bucket of the level above.
type Level struct {
	Start wire.StartRule
	// Base are the documents that the rule ranks. When documents are excluded, it loses
	// them and those of consumed items.
	Base  docset.Set
	Items []docset.Set
	// Stream are the documents that a Geo or Vector rule returned so far, by row. They
	// are its items.
	Stream []wire.Streamed
	Rule   Iterator
	Done   bool
	// Outermost means that there is no level above.
	Outermost bool
}

// Iterator yields the non-empty buckets of a rule in order.
type Iterator interface {
	// Next returns the next bucket; ok is false at the end. want is the number of
	// documents that the driver still needs.
	Next(ctx context.Context, want int) (b Bucket, ok bool, err error)
}

// Resumer is the iterator of a rule whose buckets keep their order when documents are excluded.
type Resumer interface {
	// Resume makes Next return the buckets of some documents: those of the level that are
	// left.
	Resume(rest docset.Set)
}

// Asker is the iterator of a rule that looks up typos while it explores.
type Asker interface {
	// TakeAsked returns the look-ups since the last call.
	TakeAsked() []wire.Asked
}

// Stream is the iterator of a rule that yields single documents.
type Stream interface {
	Iterator
	// More returns the next n documents, fewer at the end.
	More(ctx context.Context, n int) ([]wire.Streamed, error)
	Empty() bool
}

// Bucket is one result of an iterator.
type Bucket struct {
	Set   docset.Set
	Cost  uint32
	Paths []rule.Path
	Value wire.SortValue
}

// Streams reports whether a rule yields single documents that the driver groups.
func Streams(kind rule.Kind) bool { return kind == rule.Geo || kind == rule.Vector }

// Chosen returns the documents of the items [lo, hi) of a level.
func (l *Level) Chosen(lo, hi int) (docset.Set, error) {
	count := len(l.Items)
	if Streams(l.Start.Rule.Kind) {
		count = len(l.Stream)
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
		return l.Base.AndNot(l.Given(0, lo)), nil
	}
	return l.Given(lo, hi), nil
}

// Given returns the documents of items already returned.
func (l *Level) Given(lo, hi int) docset.Set {
	if !Streams(l.Start.Rule.Kind) {
		if hi == lo+1 {
			return l.Items[lo]
		}
		return docset.Union(l.Items[lo:hi]...)
	}
	var b docset.Builder
	for i := lo; i < hi; i++ {
		b.Add(l.Stream[i].Ordinal)
	}
	return b.Set()
}

// Rest returns the documents of a level without those of its first n items.
func (l *Level) Rest(n int) (docset.Set, error) { return l.Chosen(n, wire.AllItems) }

// ValidGraph reports whether a graph fits the pinned terms.
func (s *Scope) ValidGraph(g *query.Graph) bool {
	for i := range g.Nodes {
		if i >= 2 && int(g.Nodes[i].Term) >= len(s.Terms) {
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
