package rank

import (
	"slices"

	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/wire"
)

// sortColumn ranks all documents by their value in a field: equal values have
// equal ranks, documents without value the last one. Ranks leave room for values
// to come.
type sortColumn struct {
	ranks []uint32 // by ordinal
	// values are the distinct values in the order of the rule, at their ranks.
	values []wire.SortValue
	at     []uint32
	bytes  int
}

// noSortValue is the rank of documents without value.
const noSortValue = 1<<rule.SortKeyBits - 1

// sortKey names a sort column.
type sortKey struct {
	field uint16
	desc  bool
}

// SortChunk is the least number of documents that are put in order at once. It
// changes no answer; tests set it to 2.
var SortChunk = 256

// SortColumnShare is the part of all documents, as a divisor, from which on a set
// is worth a sort column at once. It changes no answer; tests set it.
var SortColumnShare = 4

// sortColumn returns a column for n documents: the kept one, or a new one if that
// is worth it; nil otherwise.
func (s *Scope) sortColumn(key sortKey, n int) (*sortColumn, error) {
	c, stale, ok := find(s.ix.Memo(), s.schema, sortsOf, key)
	if ok && !stale.Empty() {
		var err error
		if c, err = s.patchSort(c, key, stale); err != nil {
			return nil, err
		}
	}
	if ok && c != nil {
		if !stale.Empty() {
			keep(s.ix.Memo(), s.schema, sortsOf, key, c, c.bytes)
		}
		return c, nil
	}
	live := s.ix.Live().Len()
	if live >= noSortValue || !s.ix.Memo().worthSorting(s.schema, n, live) {
		return nil, nil
	}
	c, err := s.makeSort(key)
	if err == nil {
		keep(s.ix.Memo(), s.schema, sortsOf, key, c, c.bytes)
	}
	return c, err
}

// makeSort walks the values of the field in the order of the rule: what a document
// is sorted by is the first of its numbers, else the first of its strings.
func (s *Scope) makeSort(key sortKey) (*sortColumn, error) {
	live := s.ix.Live()
	last, _ := live.Max()
	c := &sortColumn{ranks: make([]uint32, last+1)} // numbers of values first
	left := live.Len()
	take := func(v wire.SortValue, docs docset.Set) bool {
		first := true
		docs.Each(func(ord uint32) bool {
			if ord > last || c.ranks[ord] != 0 {
				return true
			}
			if first {
				first = false
				c.values = append(c.values, v)
				c.bytes += 48 + len(v.Text)
			}
			c.ranks[ord] = uint32(len(c.values))
			left--
			return true
		})
		return left > 0
	}
	err := s.ix.Numbers(key.field, key.desc, func(v float64, docs docset.Set) bool {
		return take(wire.SortValue{Number: v}, docs)
	})
	if err != nil {
		return nil, err
	}
	err = s.ix.Strings(key.field, key.desc, func(v string, docs docset.Set) bool {
		return take(wire.SortValue{Kind: wire.SortString, Text: v}, docs)
	})
	if err != nil {
		return nil, err
	}
	step := uint32(noSortValue / (len(c.values) + 1))
	c.at = make([]uint32, len(c.values))
	for i := range c.at {
		c.at[i] = uint32(i+1) * step
	}
	for ord, n := range c.ranks {
		if n == 0 {
			c.ranks[ord] = noSortValue
		} else {
			c.ranks[ord] = n * step
		}
	}
	c.bytes += 4 * len(c.ranks)
	return c, nil
}

// maxSortPatch is the number of changed documents from which on a column is made
// anew.
const maxSortPatch = 1000

// patchSort brings a column up to date; nil when too much changed or a new value
// finds no room.
func (s *Scope) patchSort(c *sortColumn, key sortKey, stale docset.Set) (*sortColumn, error) {
	if stale.Len() > maxSortPatch {
		return nil, nil
	}
	last, _ := s.ix.Live().Max()
	out := &sortColumn{ranks: make([]uint32, max(int(last)+1, len(c.ranks))), values: c.values, at: c.at, bytes: c.bytes}
	copy(out.ranks, c.ranks)
	var err error
	room := true
	stale.And(s.ix.Live()).Each(func(ord uint32) bool {
		var v wire.SortValue
		if v, err = s.fieldValue(ord, key.field, key.desc); err != nil {
			return false
		}
		out.ranks[ord], room = out.place(v, key.desc)
		return room
	})
	if err != nil || !room {
		return nil, err
	}
	return out, nil
}

// place returns the rank of a value, a new one between its neighbours if need be.
func (c *sortColumn) place(v wire.SortValue, desc bool) (rank uint32, ok bool) {
	if v.Kind == wire.SortNone {
		return noSortValue, true
	}
	i, found := slices.BinarySearchFunc(c.values, v, func(a, b wire.SortValue) int { return wire.CompareSort(a, b, desc) })
	if found {
		return c.at[i], true
	}
	below, above := uint32(0), uint32(noSortValue)
	if i > 0 {
		below = c.at[i-1]
	}
	if i < len(c.at) {
		above = c.at[i]
	}
	if above-below < 2 {
		return 0, false
	}
	rank = below + (above-below)/2
	// The slices may be shared with an older column.
	c.values, c.at = slices.Insert(slices.Clip(c.values), i, v), slices.Insert(slices.Clip(c.at), i, rank)
	c.bytes += 48 + len(v.Text)
	return rank, true
}

// leastRanks returns the documents of at least n of the least ranks from one on,
// and all others of the last of these ranks, in order, as rank << 32 | ordinal.
func leastRanks(ranks []uint32, docs docset.Set, from uint32, n int) (list []uint64, more bool) {
	limit, full := ^uint32(0), 4*n
	docs.Each(func(ord uint32) bool {
		r := ranks[ord]
		if r < from {
			return true
		}
		if r > limit {
			more = true
			return true
		}
		list = append(list, uint64(r)<<32|uint64(ord))
		if len(list) >= full {
			more = limitTo(&list, &limit, n) || more
			full = max(4*n, 2*len(list))
		}
		return true
	})
	if len(list) > n && limitTo(&list, &limit, n) {
		more = true
	}
	slices.Sort(list)
	return list, more
}

// limitTo keeps the n least and those of equal rank with the last of them. It
// reports whether that left any out.
func limitTo(list *[]uint64, limit *uint32, n int) bool {
	l := *list
	slices.Sort(l)
	rank := uint32(l[n-1] >> 32)
	end := n
	for end < len(l) && uint32(l[end]>>32) == rank {
		end++
	}
	*list, *limit = l[:end], rank
	return end < len(l)
}
