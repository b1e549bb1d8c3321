package rank

import (
	"slices"

	"shoal/shard/docset"
	"shoal/wire"
)

// SortScan is the number of documents up to which sorting reads the values of
// each, instead of walking the values of the field. It changes no answer; tests
// set it to 2.
var SortScan = 8192

// sortIterator yields one bucket per value of a field: numbers, then strings, then
// the documents without value (spec ranking 5.8).
type sortIterator struct {
	s         *Scope
	field     uint16
	known     bool
	desc      bool
	remaining docset.Set
	ready     []bucket
	// asked is how many documents the last walk of the values collected.
	asked    int
	complete bool
}

func newSortIterator(s *Scope, l *level) *sortIterator {
	it := &sortIterator{s: s, desc: l.start.Rule.Desc, remaining: l.base}
	it.field, it.known = s.schema.FieldID(l.start.Rule.Field)
	return it
}

func (it *sortIterator) next(want int) (b bucket, ok bool, err error) {
	if len(it.ready) == 0 && !it.complete && !it.remaining.Empty() {
		var c *sortColumn
		if it.known {
			if c, err = it.s.sortColumn(sortKey{it.field, it.desc}, it.remaining.Len()); err != nil {
				return bucket{}, false, err
			}
		}
		switch {
		case !it.known:
			it.complete = true
		case c != nil:
			it.rank(c, want)
		case it.remaining.Len() <= SortScan:
			err = it.scan()
		default:
			err = it.walk(want)
		}
		if err != nil {
			return bucket{}, false, err
		}
	}
	if len(it.ready) == 0 {
		if it.remaining.Empty() {
			return bucket{}, false, nil
		}
		b = bucket{set: it.remaining, value: wire.SortValue{Kind: wire.SortNone}}
		it.remaining = docset.Set{}
		return b, true, nil
	}
	b, it.ready = it.ready[0], it.ready[1:]
	it.remaining = it.remaining.AndNot(b.set)
	return b, true, nil
}

// rank takes the next buckets from a sort column.
func (it *sortIterator) rank(c *sortColumn, want int) {
	list, more := leastRanks(c.ranks, it.remaining, 0, max(want, SortChunk))
	it.complete = !more
	for i := 0; i < len(list); {
		rank := uint32(list[i] >> 32)
		if rank == noSortValue {
			it.complete = true
			return
		}
		var docs docset.Builder
		for ; i < len(list) && uint32(list[i]>>32) == rank; i++ {
			docs.Add(uint32(list[i]))
		}
		at, _ := slices.BinarySearch(c.at, rank)
		it.ready = append(it.ready, bucket{set: docs.Set(), value: c.values[at]})
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
		if v, err = it.s.fieldValue(ord, it.field, it.desc); err == nil && v.Kind != wire.SortNone {
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
			it.ready = append(it.ready, bucket{set: docset.FromSorted(ords), value: p.value})
			ords = ords[:0]
		}
	}
	return nil
}

// walk walks the values of the field until they hold enough documents; a later
// walk starts over, with twice as many wanted.
func (it *sortIterator) walk(want int) error {
	it.asked = max(want, 2*it.asked)
	left, got := it.remaining, 0
	take := func(docs docset.Set, v wire.SortValue) bool {
		if set := docs.And(left); !set.Empty() {
			it.ready = append(it.ready, bucket{set: set, value: v})
			left = left.AndNot(set)
			got += set.Len()
		}
		return got < it.asked && !left.Empty()
	}
	err := it.s.ix.Numbers(it.field, it.desc, func(v float64, docs docset.Set) bool {
		return take(docs, wire.SortValue{Number: v})
	})
	if err != nil || got >= it.asked || left.Empty() {
		return err
	}
	err = it.s.ix.Strings(it.field, it.desc, func(v string, docs docset.Set) bool {
		return take(docs, wire.SortValue{Kind: wire.SortString, Text: v})
	})
	it.complete = got < it.asked
	return err
}
