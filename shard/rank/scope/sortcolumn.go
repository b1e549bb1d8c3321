package scope

import (
	"context"
	"slices"

	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/wire"
)

// SortColumn ranks all documents by their value in a field. Equal values have equal
// ranks, and documents without value have the last one. There are gaps between ranks
// for new values.
type SortColumn struct {
	Ranks []uint32 // by row
	// Values are the distinct values in the order of the rule. At holds their ranks.
	Values []wire.SortValue
	At     []uint32
	bytes  int
}

// NoSortValue is the rank of documents without value.
const NoSortValue = 1<<rule.SortKeyBits - 1

// SortKey identifies a sort column.
type SortKey struct {
	Field uint16
	Desc  bool
}

// SortChunk is the least number of documents that are sorted at once. It changes no
// answer; tests set it to 2.
var SortChunk = 256

// SortShare: a set of at least 1/SortShare of all documents is worth a sort column at
// once, because ranking a document without one takes a hundred times as long as adding
// it to one. It changes no answer; tests set it.
var SortShare = 32

// sortingShare: while documents change, a column is built once 1/sortingShare of all
// documents were sorted without one, because it may have to be built again.
const sortingShare = 8

// SortColumn returns a column for sorting n documents: the cached one, or a new one if
// that is worthwhile, or nil. Concurrent searches wait for one of them to make it.
func (s *Scope) SortColumn(ctx context.Context, key SortKey, n int) (*SortColumn, error) {
	memo := s.Index.Memo()
	c, stale, ok := find(memo, s.Schema, sortsOf, key)
	if ok && stale.Empty() {
		return c, nil
	}
	live := s.Index.Live().Len()
	worthwhile := func() bool { return live < NoSortValue && memo.worthSorting(s.Schema, n, live) }
	if !ok && !worthwhile() {
		return nil, nil
	}
	return memo.sortMaking.Do(ctx, key, func() (*SortColumn, error) {
		old, stale, inherited := find(memo, s.Schema, sortsOf, key)
		if inherited && stale.Empty() {
			return old, nil // another search has just made it
		}
		var c *SortColumn
		var err error
		if inherited {
			c, err = s.patchSort(old, key, stale)
		}
		if err == nil && c == nil && (!ok || worthwhile()) {
			c, err = s.makeSort(key)
		}
		if c == nil || err != nil {
			return nil, err
		}
		keep(memo, s.Schema, sortsOf, key, c, c.bytes)
		return c, nil
	})
}

// makeSort walks the values of the field in the order of the rule. A document is sorted
// by the first of its numbers, or else the first of its strings.
func (s *Scope) makeSort(key SortKey) (*SortColumn, error) {
	live := s.Index.Live()
	last, _ := live.Max()
	c := &SortColumn{Ranks: make([]uint32, last+1)} // numbers of values first
	left := live.Len()
	take := func(v wire.SortValue, docs docset.Set) bool {
		first := true
		docs.Each(func(ord uint32) bool {
			if ord > last || c.Ranks[ord] != 0 {
				return true
			}
			if first {
				first = false
				c.Values = append(c.Values, v)
				c.bytes += 48 + len(v.Text)
			}
			c.Ranks[ord] = uint32(len(c.Values))
			left--
			return true
		})
		return left > 0
	}
	err := s.Index.Numbers(key.Field, key.Desc, func(v float64, docs docset.Set) bool {
		return take(wire.SortValue{Number: v}, docs)
	})
	if err != nil {
		return nil, err
	}
	err = s.Index.Strings(key.Field, key.Desc, func(v string, docs docset.Set) bool {
		return take(wire.SortValue{Kind: wire.SortString, Text: v}, docs)
	})
	if err != nil {
		return nil, err
	}
	step := uint32(NoSortValue / (len(c.Values) + 1))
	c.At = make([]uint32, len(c.Values))
	for i := range c.At {
		c.At[i] = uint32(i+1) * step
	}
	for ord, n := range c.Ranks {
		if n == 0 {
			c.Ranks[ord] = NoSortValue
		} else {
			c.Ranks[ord] = n * step
		}
	}
	c.bytes += 4 * len(c.Ranks)
	return c, nil
}

// maxSortPatch is the largest number of changed documents for which a column is updated
// instead of built again.
const maxSortPatch = 1000

// patchSort updates a column. It returns nil if too much changed or there is no gap for
// a new value.
func (s *Scope) patchSort(c *SortColumn, key SortKey, stale docset.Set) (*SortColumn, error) {
	if stale.Len() > maxSortPatch {
		return nil, nil
	}
	last, _ := s.Index.Live().Max()
	out := &SortColumn{Ranks: make([]uint32, max(int(last)+1, len(c.Ranks))), Values: c.Values, At: c.At, bytes: c.bytes}
	copy(out.Ranks, c.Ranks)
	var err error
	room := true
	stale.And(s.Index.Live()).Each(func(ord uint32) bool {
		var v wire.SortValue
		if v, err = s.FieldValue(ord, key.Field, key.Desc); err != nil {
			return false
		}
		out.Ranks[ord], room = out.place(v, key.Desc)
		return room
	})
	if err != nil || !room {
		return nil, err
	}
	return out, nil
}

// place returns the rank of a value. A new value gets a rank between its neighbours.
func (c *SortColumn) place(v wire.SortValue, desc bool) (rank uint32, ok bool) {
	if v.Kind == wire.SortNone {
		return NoSortValue, true
	}
	i, found := slices.BinarySearchFunc(c.Values, v, func(a, b wire.SortValue) int { return wire.CompareSort(a, b, desc) })
	if found {
		return c.At[i], true
	}
	below, above := uint32(0), uint32(NoSortValue)
	if i > 0 {
		below = c.At[i-1]
	}
	if i < len(c.At) {
		above = c.At[i]
	}
	if above-below < 2 {
		return 0, false
	}
	rank = below + (above-below)/2
	// The slices may be shared with an older column.
	c.Values, c.At = slices.Insert(slices.Clip(c.Values), i, v), slices.Insert(slices.Clip(c.At), i, rank)
	c.bytes += 48 + len(v.Text)
	return rank, true
}
