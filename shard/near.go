package shard

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/shard/record"
	"shoal/wire"
)

// StoreVectors returns the vectors of a document by store.
func (v *View) StoreVectors(embedder string, ord uint32) ([]wire.StoreVector, error) {
	list, err := v.Embeddings(ord)
	if err != nil {
		return nil, err
	}
	var out []wire.StoreVector
	for k := range list {
		if e := &list[k]; e.Name == embedder {
			for i := range e.Len() {
				out = append(out, wire.StoreVector{Store: e.Store(i), Vector: e.Vector(i)})
			}
		}
	}
	return out, nil
}

// soloBlocks is how many blocks one goroutine compares before another helps.
const soloBlocks = 4

// Distances compares vectors (see rank.Vectors): all those of among, whatever
// their number.
func (v *View) Distances(ctx context.Context, embedder string, store int, target []float32, among docset.Set) ([]rank.Near, error) {
	q := newComparison(store, target)
	var numbers []int
	for key, c := range among.Blocks() {
		if c.Empty() {
			continue
		}
		first := int(key) << (16 - vectorShift)
		for n := first; n < min(first+1<<(16-vectorShift), len(v.core.vectors.blocks)); n++ {
			numbers = append(numbers, n)
		}
	}
	found := make([][]rank.Near, len(numbers))
	compare := func(ctx context.Context, lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows, err := v.core.vectorRows(numbers[i], v.host.vectors)
			if err != nil {
				return err
			}
			if column := rows.like(embedder, len(target)); column != nil {
				found[i] = column.near(q, among.Block(uint16(numbers[i]>>(16-vectorShift))))
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
		group.Go(func() error { return compare(inner, lo, min(lo+soloBlocks, len(numbers))) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// comparison is the vector that others are compared with.
type comparison struct {
	store  int
	values []float32
	norm   float32
	bits   []uint64
}

func newComparison(store int, target []float32) *comparison {
	return &comparison{store: store, values: target, norm: record.Norm(target), bits: record.AppendBits(nil, target)}
}

// near compares the documents of a column that are in among, the set of the 2^16
// ordinals around.
func (c *vectorColumn) near(q *comparison, among docset.Container) []rank.Near {
	out := make([]rank.Near, 0, min(len(c.ords), among.Len()))
	all := among.Len() == 1<<16
	for i, ord := range c.ords {
		if !all && !among.Contains(uint16(ord)) {
			continue
		}
		best, has := float32(0), false
		for k := c.from[i]; k < c.from[i+1]; k++ {
			if q.store != rank.AnyStore && int(c.stores[k]) != q.store {
				continue
			}
			if d := c.distance(q, int(k)); !has || d < best {
				best, has = d, true
			}
		}
		if has {
			out = append(out, rank.Near{Ordinal: ord, Distance: best})
		}
	}
	return out
}

func (c *vectorColumn) distance(q *comparison, k int) float32 {
	if c.quantized {
		return record.Hamming(c.bits[k*c.words:(k+1)*c.words], q.bits)
	}
	return record.Cosine(c.values[k*c.dimensions:(k+1)*c.dimensions], q.values, c.norms[k], q.norm)
}

// WithVectors returns the documents that a `_vectors` condition selects (spec
// search-api 7.7): of the embedder named, or of any.
func (v *View) WithVectors(condition query.FilterVector) (docset.Set, error) {
	store := -1
	if condition.Kind == query.VectorFragment {
		store = slices.Index(query.EmbedderFragments(v.settings, condition.Embedder.Value), condition.Fragment.Value)
		if store < 0 {
			return docset.Set{}, nil
		}
	}
	var out docset.Builder
	for n := range v.core.vectors.blocks {
		rows, err := v.core.vectorRows(n, v.host.vectors)
		if err != nil {
			return docset.Set{}, err
		}
		for key, column := range rows.columns {
			if condition.Named && condition.Embedder.Value != key.embedder {
				continue
			}
			fragments := condition.Kind == query.VectorDocumentTemplate && len(query.EmbedderFragments(v.settings, key.embedder)) > 0
			if !fragments {
				column.selects(condition.Kind, store, out.Add)
			}
		}
	}
	return out.Set(), nil
}

// selects calls add for the documents of a kind. Opting out counts as provided by
// the user, everything else needs a vector.
func (c *vectorColumn) selects(kind query.FilterVectorKind, store int, add func(uint32)) {
	for i, ord := range c.ords {
		user, has := c.flags[i]&columnUser != 0, c.from[i+1] > c.from[i]
		ok := has
		switch kind {
		case query.VectorUserProvided:
			ok = user
		case query.VectorRegenerate:
			ok = has && c.flags[i]&columnRegenerate != 0
		case query.VectorDocumentTemplate:
			ok = has && !user
		case query.VectorFragment:
			ok = !user && slices.Contains(c.stores[c.from[i]:c.from[i+1]], uint16(store))
		}
		if ok {
			add(ord)
		}
	}
}
