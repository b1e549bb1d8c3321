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

// Distances compares the vectors of an embedder with one: those of all documents of
// among that have any, by ordinal. Blocks are compared at the same time, and only those
// in which among has documents are looked at.
func (t *Table) Distances(ctx context.Context, cache *Cache, source Source, embedder string, q *Query, among docset.Set) ([]Neighbour, error) {
	shares := t.shares(among)
	found := make([][]Neighbour, len(shares))
	compare := func(ctx context.Context, lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows, err := t.Rows(shares[i].block, len(shares[i].ordinals), cache, source)
			if err != nil {
				return err
			}
			if rows == nil {
				found[i], err = nearStored(source, embedder, q, shares[i].ordinals)
			} else if column := rows.like(embedder, len(q.values)); column != nil {
				found[i] = column.near(q, shares[i].ordinals)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if len(shares) <= soloBlocks {
		if err := compare(ctx, 0, len(shares)); err != nil {
			return nil, err
		}
		return slices.Concat(found...), nil
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for lo := 0; lo < len(shares); lo += soloBlocks {
		group.Go(func() error {
			return wire.Catch(func() error { return compare(inner, lo, min(lo+soloBlocks, len(shares))) })
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// share is what a set has in one block.
type share struct {
	block    int
	ordinals []uint32
}

// shares cuts a set by the blocks of the table.
func (t *Table) shares(set docset.Set) (out []share) {
	ordinals := set.AppendTo(make([]uint32, 0, set.Len()))
	for len(ordinals) > 0 {
		block := int(ordinals[0] >> Shift)
		if block >= len(t.blocks) {
			break
		}
		n, _ := slices.BinarySearch(ordinals, uint32(block+1)<<Shift)
		if n == 0 { // the last block of all there can be
			n = len(ordinals)
		}
		out = append(out, share{block, ordinals[:n:n]})
		ordinals = ordinals[n:]
	}
	return out
}

// Query is the vector that others are compared with.
type Query struct {
	store  int
	values []float32
	norm   float32
	bits   []uint64
	// stored and storedBits are the same as vectors are stored.
	stored, storedBits []byte
}

// NewQuery prepares a vector to compare others with; store is AnyStore or the number of one.
func NewQuery(store int, target []float32) *Query {
	return &Query{
		store: store, values: target, norm: record.Norm(target), bits: record.AppendBits(nil, target),
		stored: record.AppendStored(nil, target), storedBits: record.AppendStoredBits(nil, target),
	}
}

// nearest is the least of the distances that it is given.
type nearest struct {
	distance float32
	has      bool
}

func (n *nearest) add(d float32) {
	if !n.has || d < n.distance {
		n.distance, n.has = d, true
	}
}

// near compares those of some documents that the column has.
func (c *Column) near(q *Query, ordinals []uint32) []Neighbour {
	out := make([]Neighbour, 0, min(len(c.ords), len(ordinals)))
	at := 0
	for i, ord := range c.ords {
		for at < len(ordinals) && ordinals[at] < ord {
			at++
		}
		if at == len(ordinals) {
			break
		}
		if ordinals[at] != ord {
			continue
		}
		var best nearest
		for k := c.from[i]; k < c.from[i+1]; k++ {
			if q.store == AnyStore || int(c.stores[k]) == q.store {
				best.add(c.distance(q, int(k)))
			}
		}
		if best.has {
			out = append(out, Neighbour{Ordinal: ord, Distance: best.distance})
		}
	}
	return out
}

// nearStored is near where nothing is decoded.
func nearStored(source Source, embedder string, q *Query, ordinals []uint32) (out []Neighbour, err error) {
	var best nearest
	compare := func(e *record.StoredEmbedding) {
		if string(e.Name) != embedder || e.Dimensions != len(q.values) {
			return
		}
		for i := range e.Len() {
			if q.store == AnyStore || e.Store(i) == q.store {
				best.add(q.distanceStored(e, i))
			}
		}
	}
	err = source.VisitVectors(ordinals, func(ord uint32, stored []byte) error {
		best = nearest{}
		if err := record.EachStored(stored, compare); err != nil {
			return err
		}
		if best.has {
			out = append(out, Neighbour{Ordinal: ord, Distance: best.distance})
		}
		return nil
	})
	return out, err
}

func (q *Query) distanceStored(e *record.StoredEmbedding, i int) float32 {
	v := e.Vector(i)
	if e.Quantized {
		return record.HammingStored(v, q.storedBits)
	}
	return record.CosineStored(v, q.stored, record.NormStored(v), q.norm)
}

func (c *Column) distance(q *Query, k int) float32 {
	if c.quantized {
		return record.Hamming(c.bits[k*c.words:(k+1)*c.words], q.bits)
	}
	return record.Cosine(c.values[k*c.dimensions:(k+1)*c.dimensions], q.values, c.norms[k], q.norm)
}

// Selection are the documents that a condition on vectors selects.
type Selection struct {
	Kind filter.FilterVectorKind
	// Store is that of the fragment, for VectorFragment.
	Store int
	// Embedder tells whether the condition concerns one.
	Embedder func(name string) bool
}

// Select adds what a condition selects of the documents of a block.
func (t *Table) Select(number int, cache *Cache, source Source, s *Selection, add func(uint32)) error {
	rows, err := t.Rows(number, 1<<Shift, cache, source)
	if err != nil {
		return err
	}
	if rows == nil {
		return source.VisitVectors(blockOrdinals(uint32(number)), func(ord uint32, stored []byte) error {
			return record.EachStored(stored, func(e *record.StoredEmbedding) {
				if s.Embedder(string(e.Name)) && s.takes(flagsOf(e), e.Len(), func(i int) int { return e.Store(i) }) {
					add(ord)
				}
			})
		})
	}
	for key, c := range rows.Columns {
		if !s.Embedder(key.Embedder) {
			continue
		}
		for i, ord := range c.ords {
			own := c.stores[c.from[i]:c.from[i+1]]
			if s.takes(c.flags[i], len(own), func(i int) int { return int(own[i]) }) {
				add(ord)
			}
		}
	}
	return nil
}

// takes tells whether the condition selects a document with n vectors. Opting out counts
// as provided by the user, everything else needs a vector.
func (s *Selection) takes(flags uint8, n int, store func(i int) int) bool {
	user, has := flags&columnUser != 0, n > 0
	switch s.Kind {
	case filter.VectorUserProvided:
		return user
	case filter.VectorRegenerate:
		return has && flags&columnRegenerate != 0
	case filter.VectorDocumentTemplate:
		return has && !user
	case filter.VectorFragment:
		for i := range n {
			if !user && store(i) == s.Store {
				return true
			}
		}
		return false
	}
	return has
}
