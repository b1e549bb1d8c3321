package scope

import (
	"slices"

	"shoal/shard/docset"
)

// Least collects the rows with the least ranks. Rows with the last of these ranks are
// complete. It is made by NewLeast.
type Least struct {
	n, full int
	limit   uint32
	list    []uint64
	more    bool
}

// NewLeast collects at least n > 0 rows, if there are that many.
func NewLeast(n int) Least { return Least{n: n, full: 4 * n, limit: ^uint32(0)} }

// Add offers a row.
func (l *Least) Add(rank, row uint32) {
	if rank > l.limit {
		l.more = true
		return
	}
	l.list = append(l.list, uint64(rank)<<32|uint64(row))
	if len(l.list) >= l.full {
		l.cut()
		l.full = max(4*l.n, 2*len(l.list))
	}
}

// Sorted returns the rows in order, as rank << 32 | row. more means that there are
// others.
func (l *Least) Sorted() (list []uint64, more bool) {
	if len(l.list) > l.n {
		l.cut()
	}
	slices.Sort(l.list)
	return l.list, l.more
}

// cut keeps the n least and those with the same rank as the last of them.
func (l *Least) cut() {
	slices.Sort(l.list)
	l.limit = uint32(l.list[l.n-1] >> 32)
	end := l.n
	for end < len(l.list) && uint32(l.list[end]>>32) == l.limit {
		end++
	}
	l.more = l.more || end < len(l.list)
	l.list = l.list[:end]
}

// LeastRanks returns, in order, at least n documents with the least ranks from `from`
// on, as rank << 32 | row. Documents with the last of these ranks are complete.
func LeastRanks(ranks []uint32, docs docset.Set, from uint32, n int) (list []uint64, more bool) {
	least := NewLeast(n)
	docs.Each(func(row uint32) bool {
		if rank := ranks[row]; rank >= from {
			least.Add(rank, row)
		}
		return true
	})
	return least.Sorted()
}
