package rules

import (
	"context"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// SortScan is the largest number of documents for which sorting reads the values of
// each instead of walking the values of the field. It changes no answer; tests set it
// to 2.
var SortScan = 8192

// sortIterator yields one bucket per value of a field: numbers, then strings, then the
// documents without value (spec ranking 5.8).
type sortIterator struct {
	s     *scope.Scope
	field uint16
	known bool
	desc  bool
	// remaining are the documents that no bucket had yet, since the start or Resume.
	remaining docset.Set
	// ready are buckets of remaining documents and of others, the first next of which were
	// returned.
	ready []scope.Bucket
	next  int
	// asked is the number of documents that the last walk of the values collected.
	asked    int
	complete bool
}

func newSortIterator(s *scope.Scope, l *scope.Level) *sortIterator {
	it := &sortIterator{s: s, desc: l.Start.Rule.Desc, remaining: l.Base}
	it.field, it.known = s.Schema.FieldID(l.Start.Rule.Field)
	return it
}

// Resume implements scope.Resumer. It keeps what was sorted: a search with a distinct field
// resumes after each hit.
func (it *sortIterator) Resume(rest docset.Set) {
	it.remaining, it.next = rest, 0
	for len(it.ready) > 0 && it.ready[0].Set.AndLen(rest) == 0 {
		it.ready = it.ready[1:]
	}
}

func (it *sortIterator) Next(ctx context.Context, want int) (b scope.Bucket, ok bool, err error) {
	for {
		for it.next < len(it.ready) {
			b = it.ready[it.next]
			it.next++
			if b.Set = b.Set.And(it.remaining); !b.Set.Empty() {
				it.remaining = it.remaining.AndNot(b.Set)
				return b, true, nil
			}
		}
		if it.remaining.Empty() {
			return scope.Bucket{}, false, nil
		}
		if it.complete {
			b = scope.Bucket{Set: it.remaining, Value: wire.SortValue{Kind: wire.SortNone}}
			it.remaining = docset.Set{}
			return b, true, nil
		}
		if err := it.fill(ctx, want); err != nil {
			return scope.Bucket{}, false, err
		}
	}
}

// fill sorts some of the remaining documents.
func (it *sortIterator) fill(ctx context.Context, want int) error {
	if !it.known {
		it.complete = true
		return nil
	}
	c, err := it.s.SortColumn(ctx, scope.SortKey{Field: it.field, Desc: it.desc}, it.remaining.Len())
	switch {
	case err != nil:
		return err
	case c != nil:
		it.rank(c, want)
		return nil
	case it.remaining.Len() <= SortScan:
		return it.scan()
	}
	return it.walk(want)
}

// rank takes the next buckets from a sort column.
func (it *sortIterator) rank(c *scope.SortColumn, want int) {
	list, more := scope.LeastRanks(c.Ranks, it.remaining, 0, max(want, scope.SortChunk))
	it.complete = !more
	for i := 0; i < len(list); {
		rank := uint32(list[i] >> 32)
		if rank == scope.NoSortValue {
			it.complete = true
			return
		}
		var docs docset.Builder
		for ; i < len(list) && uint32(list[i]>>32) == rank; i++ {
			docs.Add(uint32(list[i]))
		}
		at, _ := slices.BinarySearch(c.At, rank)
		it.ready = append(it.ready, scope.Bucket{Set: docs.Set(), Value: c.Values[at]})
	}
}

// scan reads the values of every remaining document.
func (it *sortIterator) scan() error {
	it.complete = true
	type placed struct {
		ord   uint32
		value wire.SortValue
	}
	var list []placed
	var err error
	it.remaining.Each(func(ord uint32) bool {
		var v wire.SortValue
		if v, err = it.s.FieldValue(ord, it.field, it.desc); err == nil && v.Kind != wire.SortNone {
			list = append(list, placed{ord, v})
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b placed) int { return wire.CompareSort(a.value, b.value, it.desc) })
	var ords []uint32
	for i, p := range list {
		ords = append(ords, p.ord)
		if i+1 == len(list) || wire.CompareSort(p.value, list[i+1].value, false) != 0 {
			it.ready = append(it.ready, scope.Bucket{Set: docset.FromSorted(ords), Value: p.value})
			ords = ords[:0]
		}
	}
	return nil
}

// walk walks the values of the field until they have enough documents. A later walk
// starts over and collects twice as many.
func (it *sortIterator) walk(want int) error {
	it.asked = max(want, 2*it.asked)
	left, got := it.remaining, 0
	take := func(docs docset.Set, v wire.SortValue) bool {
		if set := docs.And(left); !set.Empty() {
			it.ready = append(it.ready, scope.Bucket{Set: set, Value: v})
			left = left.AndNot(set)
			got += set.Len()
		}
		return got < it.asked && !left.Empty()
	}
	err := it.s.Index.Numbers(it.field, it.desc, func(v float64, docs docset.Set) bool {
		return take(docs, wire.SortValue{Number: v})
	})
	if err != nil || got >= it.asked || left.Empty() {
		return err
	}
	err = it.s.Index.Strings(it.field, it.desc, func(v string, docs docset.Set) bool {
		return take(docs, wire.SortValue{Kind: wire.SortString, Text: v})
	})
	it.complete = got < it.asked
	return err
}
