package rules

import (
	"context"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/shard/rows"
	"shoal/wire"
)

// randomIterator yields the documents one by one, in the order of numbers that the
// rule's key derives from their ordinals. No two documents of an index have the same
// number, so the order does not depend on the shards.
type randomIterator struct {
	key   uint64
	base  docset.Set
	order *rows.Order
	// ready holds the next numbers, ascending, with the rows in their low bits.
	ready []uint64
	// passed is the last number of ready, if any. asked is the size of the last
	// request.
	passed uint32
	any    bool
	asked  int
}

func newRandomIterator(s *scope.Scope, l *scope.Level) *randomIterator {
	return &randomIterator{key: l.Start.Rule.Key, base: l.Base, order: s.Index.Order()}
}

func (it *randomIterator) Next(_ context.Context, want int) (scope.Bucket, bool, error) {
	if len(it.ready) == 0 {
		it.least(want)
	}
	if len(it.ready) == 0 {
		return scope.Bucket{}, false, nil
	}
	next := it.ready[0]
	it.ready = it.ready[1:]
	one := docset.FromSorted([]uint32{uint32(next)})
	return scope.Bucket{Set: one, Value: wire.SortValue{Number: float64(next >> 32)}}, true, nil
}

// leastRandom is the least number of documents per search.
const leastRandom = 64

// least finds the documents with the least numbers after those returned, twice as many
// each time.
func (it *randomIterator) least(want int) {
	it.asked = max(want, 2*it.asked, leastRandom)
	list := make([]uint64, 0, min(2*it.asked, it.base.Len()))
	most := ^uint64(0) // larger values are not among the least
	it.base.Each(func(row uint32) bool {
		n := Shuffled(it.key, it.order.Ordinal(row))
		v := uint64(n)<<32 | uint64(row)
		if v > most || it.any && n <= it.passed {
			return true
		}
		if list = append(list, v); len(list) == 2*it.asked {
			slices.Sort(list)
			list = list[:it.asked]
			most = list[it.asked-1]
		}
		return true
	})
	slices.Sort(list)
	it.ready = list[:min(len(list), it.asked)]
	if n := len(it.ready); n > 0 {
		it.passed, it.any = uint32(it.ready[n-1]>>32), true
	}
}

// Shuffled returns the number that a key derives from an ordinal. It is a permutation
// of all 32-bit numbers, because each step is reversible.
func Shuffled(key uint64, ord uint32) uint32 {
	// The keys of the rounds are mixed like the seed of splitmix64.
	x := ord
	for range 3 {
		key += 0x9e3779b97f4a7c15
		k := key
		k = (k ^ k>>30) * 0xbf58476d1ce4e5b9
		k = (k ^ k>>27) * 0x94d049bb133111eb
		k ^= k >> 31
		x ^= uint32(k)
		x *= 0x7feb352d
		x ^= x >> 15
		x += uint32(k >> 32)
		x *= 0x846ca68b
		x ^= x >> 16
	}
	return x
}
