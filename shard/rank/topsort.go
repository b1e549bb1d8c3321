package rank

import (
	"slices"

	"shoal/shard/docset"
)

// divideSorted divides a set by a Sort rule: the documents of the least ranks are
// found and put in order, ever more of them as long as they are asked for.
func (t *top) divideSorted(rule int, docs docset.Set, visit func(docset.Set, uint32) bool) bool {
	c := t.sorted[rule]
	if c == nil {
		return visit(docs, 0)
	}
	from := uint32(0)
	for chunk := max(2*t.best.max, SortChunk); ; chunk *= 4 {
		list, more := leastRanks(c.ranks, docs, from, chunk)
		for i := 0; i < len(list); {
			rank := list[i] >> 32
			var b docset.Builder
			for ; i < len(list) && list[i]>>32 == rank; i++ {
				b.Add(uint32(list[i]))
			}
			if !visit(b.Set(), uint32(rank)) {
				return false
			}
		}
		if !more {
			return true
		}
		from = uint32(list[len(list)-1]>>32) + 1
	}
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
