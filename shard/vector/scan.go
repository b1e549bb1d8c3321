package vector

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/wire"
)

// soloBlocks is how many blocks one goroutine compares before another helps.
const soloBlocks = 4

// Distances compares the vectors of an embedder with one: all those of among,
// whatever their number, by ordinal. rows reads a block of so many; blocks are
// compared at the same time.
func Distances(ctx context.Context, blocks int, rows func(number int) (*Rows, error), embedder string, q *Query, among docset.Set) ([]Neighbour, error) {
	var numbers []int
	for key, c := range among.Blocks() {
		if c.Empty() {
			continue
		}
		first := int(key) << (16 - Shift)
		for n := first; n < min(first+1<<(16-Shift), blocks); n++ {
			numbers = append(numbers, n)
		}
	}
	found := make([][]Neighbour, len(numbers))
	compare := func(ctx context.Context, lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			block, err := rows(numbers[i])
			if err != nil {
				return err
			}
			if column := block.like(embedder, len(q.values)); column != nil {
				found[i] = column.near(q, among.Block(uint16(numbers[i]>>(16-Shift))))
			}
		}
		return nil
	}
	if len(numbers) <= soloBlocks {
		if err := compare(ctx, 0, len(numbers)); err != nil {
			return nil, err
		}
		return slices.Concat(found...), nil
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for lo := 0; lo < len(numbers); lo += soloBlocks {
		group.Go(func() error {
			return wire.Catch(func() error { return compare(inner, lo, min(lo+soloBlocks, len(numbers))) })
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// Query is the vector that others are compared with.
type Query struct {
	store  int
	values []float32
	norm   float32
	bits   []uint64
}

// NewQuery prepares a vector to compare others with; store is AnyStore or the number of one.
func NewQuery(store int, target []float32) *Query {
	return &Query{store: store, values: target, norm: record.Norm(target), bits: record.AppendBits(nil, target)}
}

// near compares the documents of a column that are in among, the set of the 2^16
// ordinals around.
func (c *Column) near(q *Query, among docset.Container) []Neighbour {
	out := make([]Neighbour, 0, min(len(c.ords), among.Len()))
	all := among.Len() == 1<<16
	for i, ord := range c.ords {
		if !all && !among.Contains(uint16(ord)) {
			continue
		}
		best, has := float32(0), false
		for k := c.from[i]; k < c.from[i+1]; k++ {
			if q.store != AnyStore && int(c.stores[k]) != q.store {
				continue
			}
			if d := c.distance(q, int(k)); !has || d < best {
				best, has = d, true
			}
		}
		if has {
			out = append(out, Neighbour{Ordinal: ord, Distance: best})
		}
	}
	return out
}

func (c *Column) distance(q *Query, k int) float32 {
	if c.quantized {
		return record.Hamming(c.bits[k*c.words:(k+1)*c.words], q.bits)
	}
	return record.Cosine(c.values[k*c.dimensions:(k+1)*c.dimensions], q.values, c.norms[k], q.norm)
}

// Selects calls add for the documents of a kind. Opting out counts as provided by
// the user, everything else needs a vector.
func (c *Column) Selects(kind filter.FilterVectorKind, store int, add func(uint32)) {
	for i, ord := range c.ords {
		user, has := c.flags[i]&columnUser != 0, c.from[i+1] > c.from[i]
		ok := has
		switch kind {
		case filter.VectorUserProvided:
			ok = user
		case filter.VectorRegenerate:
			ok = has && c.flags[i]&columnRegenerate != 0
		case filter.VectorDocumentTemplate:
			ok = has && !user
		case filter.VectorFragment:
			ok = !user && slices.Contains(c.stores[c.from[i]:c.from[i+1]], uint16(store))
		}
		if ok {
			add(ord)
		}
	}
}
