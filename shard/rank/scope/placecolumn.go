package scope

import (
	"context"

	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/wire/await"
)

// Placed is what columns of places are made of; see the same methods of Index.
type Placed interface {
	Schema() *Schema
	Live() docset.Set
	Values(row uint32) (v record.Values, ok bool, err error)
	Documents(list []uint32, visit func(i int, json []byte) error) error
	Memo() *Memo
}

// places is a column of places of type C.
type places[C any] interface {
	// size returns the bytes of the column.
	size() int
	// patched returns the column with the changed documents as they are now. The receiver
	// may be nil.
	patched(ctx context.Context, ix Placed, changed docset.Set) (C, error)
}

var (
	_ places[*PointColumn] = (*PointColumn)(nil)
	_ places[*BoxColumn]   = (*BoxColumn)(nil)
)

// placeColumn returns a column of places, or nil if reading n documents costs less. width
// is the number of bytes for each row. Concurrent searches wait for one of them to make the
// column.
func placeColumn[C places[C]](ctx context.Context, ix Placed, n, width int, in func(*Memo) map[placeKey]dated[C], making func(*Memo) *await.Flight[placeKey, C]) (C, error) {
	memo, schema, live := ix.Memo(), ix.Schema(), ix.Live()
	c, stale, ok := find(memo, schema, in, placeKey{})
	if ok && stale.Empty() {
		return c, nil
	}
	last, _ := live.Max()
	var none C
	patch := ok && stale.Len() <= n
	if !memo.fits(width*(int(last)+1)) || !patch && !memo.worthPlacing(schema, n, live.Len()) {
		return none, nil
	}
	return making(memo).Do(ctx, placeKey{}, func() (C, error) {
		old, stale, ok := find(memo, schema, in, placeKey{})
		if ok && stale.Empty() {
			return old, nil // another search has just made it
		}
		if !patch || !ok {
			old, stale = none, live
		}
		made, err := old.patched(ctx, ix, stale)
		if err != nil {
			return none, err
		}
		keep(memo, schema, in, placeKey{}, made, made.size())
		return made, nil
	})
}

// pollEvery is how many documents are read between two looks at the context.
const pollEvery = 256

// byRow returns a copy of a column with room for all documents.
func byRow[T any](live docset.Set, column []T) []T {
	last, _ := live.Max()
	out := make([]T, int(last)+1)
	copy(out, column)
	return out
}
