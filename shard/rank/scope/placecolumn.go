package scope

import (
	"shoal/shard/docset"
	"shoal/shard/record"
)

// Placed is what columns of places are made of; see the same methods of Index.
type Placed interface {
	Schema() *Schema
	Live() docset.Set
	Values(row uint32) (v record.Values, ok bool, err error)
	Documents(list []uint32, visit func(i int, json []byte) error) error
	Memo() *Memo
}

// placeColumn returns a column for comparing the places of n documents: the cached one,
// or a new one if that is worthwhile, or nil. width is the number of bytes for each row.
// patched returns a column with the changed documents as they are now; the old one is
// nil for a new column.
func placeColumn[C interface {
	comparable
	size() int
}](ix Placed, n, width int, in func(*Memo) map[placeKey]dated[C], patched func(old C, changed docset.Set) (C, error)) (c C, err error) {
	memo, schema, live := ix.Memo(), ix.Schema(), ix.Live()
	c, stale, ok := find(memo, schema, in, placeKey{})
	if ok && stale.Empty() {
		return c, nil
	}
	last, _ := live.Max()
	var none C
	switch {
	case ok && stale.Len() <= min(n, maxSortPatch):
		c, err = patched(c, stale)
	case memo.fits(width*(int(last)+1)) && memo.worthSorting(schema, n, live.Len()):
		c, err = patched(none, live)
	default:
		return none, nil
	}
	if err != nil {
		return none, err
	}
	keep(memo, schema, in, placeKey{}, c, c.size())
	return c, nil
}

// byRow returns a copy of a column with room for all documents.
func byRow[T any](live docset.Set, column []T) []T {
	last, _ := live.Max()
	out := make([]T, max(int(last)+1, len(column)))
	copy(out, column)
	return out
}
