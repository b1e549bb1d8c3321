package vector

import (
	"context"
	"errors"
	"slices"

	"shoal/shard/record"
)

// Rows that came from a file may be halved: only the upper halves of their codes are in memory, at
// first, and where whole codes have no room. A scan of them leaves the documents that the upper
// halves do not rule out. Their lower halves are read from the file once all blocks are scanned,
// the likely nearest first, because these rule out most others.

// halved returns the rows without the lower halves of their codes. They must be those of a file.
func (r *Rows) halved() *Rows {
	out := &Rows{columns: make(map[Form]*Column, len(r.columns)), file: r.file}
	for form, c := range r.columns {
		half := *c
		half.lower = nil
		out.columns[form] = &half
	}
	out.size()
	return out
}

// isHalved reports whether lower halves are missing.
func (r *Rows) isHalved() bool {
	for _, c := range r.columns {
		if c.isHalved() {
			return true
		}
	}
	return false
}

func (c *Column) isHalved() bool { return len(c.upper) > 0 && c.lower == nil }

// loose is a document that the upper halves of its codes do not rule out.
type loose struct {
	document int     // its number in the column
	least    float32 // a lower bound of its distance
}

// looseBlock holds the documents of a block that a scan of halved rows could not rule out.
type looseBlock struct {
	block     *Block
	file      string
	column    *Column
	documents []loose
}

// inexact is a document whose vectors are to be compared.
func (b *looseBlock) inexact(d loose) candidate {
	return candidate{Neighbour{b.column.ords[d.document], d.least}, false}
}

// copiedMost is how many documents of a block are copied. It bounds the memory of a search.
const copiedMost = 1 << Shift / 32

// copyLoose replaces the column, which aliases a buffer, by a copy of the documents that the
// scan leaves. The lower halves of many are read at once instead.
func (s *Search) copyLoose(cache *Cache, b *looseBlock, out *[]candidate) {
	limit, n := s.limit(), len(b.documents)
	b.documents = slices.DeleteFunc(b.documents, func(d loose) bool { return d.least > limit })
	if len(b.documents) < n {
		s.passed.Store(true)
	}
	if len(b.documents) > copiedMost {
		s.tighten(cache, b, func(loose) bool { return true }, out)
		b.documents = nil
		return
	}
	c, of := newColumn(b.column.Form), b.column
	c.lowerAt = of.lowerAt
	for i := range b.documents {
		d := &b.documents[i]
		first, last := of.from[d.document], of.from[d.document+1]
		c.takeHeads(of, d.document, d.document+1)
		c.upper, c.sums = append(c.upper, of.upper[int(first)*of.half:int(last)*of.half]...), append(c.sums, of.sums[first:last]...)
		c.origins, d.document = append(c.origins, first), i
	}
	c.from = append(c.from, uint32(c.len()))
	b.column = c
}

// upperBounds is bounds by the upper half alone. final means that the lower half says no more.
func (c *Column) upperBounds(q *Query, k int, upper int32, limit float32) (least, most float32, final, ok bool) {
	norm := c.norms[k]
	if float32(norm*q.norm) <= record.NoDirection || q.code == nil || c.missing[k] == unbounded {
		least, most, ok = c.bounds(q, k, upper, nil, limit)
		return least, most, true, ok
	}
	middle, off := c.middle(q, k, upper), q.code.off(q.code.coarse, norm, c.coarse[k])
	least = record.Distance(float32(middle+off), norm, q.norm)
	return least, record.Distance(float32(middle-off), norm, q.norm), false, least <= limit
}

// For each wanted document, the lower halves of likely documents are read first, and those of at
// least likelyLeast in all.
const likely, likelyLeast = 8, 64

// readLower finds the bounds of the documents that scans of halved rows left. found has a list
// for each block.
func (s *Search) readLower(ctx context.Context, cache *Cache, blocks []looseBlock, found [][]candidate) error {
	documents, most := 0, max(likely*s.k, likelyLeast)
	for i := range blocks {
		documents += len(blocks[i].documents)
	}
	if documents <= most { // reading their vectors is as cheap
		for i := range blocks {
			for _, d := range blocks[i].documents {
				found[i] = append(found[i], blocks[i].inexact(d))
			}
		}
		return nil
	}
	near := nthLeast(blocks, most)
	for _, first := range []bool{true, false} {
		if err := each(ctx, len(blocks), soloBlocks, func(ctx context.Context, lo, hi int) error {
			for i := lo; i < hi && ctx.Err() == nil; i++ {
				s.tighten(cache, &blocks[i], func(d loose) bool { return (d.least <= near) == first }, &found[i])
			}
			return ctx.Err()
		}); err != nil {
			return err
		}
	}
	return nil
}

// nthLeast returns the n-th least of the lower bounds.
func nthLeast(blocks []looseBlock, n int) float32 {
	var least leastOf
	for i := range blocks {
		for _, d := range blocks[i].documents {
			least.add(d.least, n)
		}
	}
	return least[0]
}

// tighten reads the lower halves of those documents of a block that are chosen and may be within
// the limit. If the file cannot be used, the documents keep their bounds, and the file is
// forgotten.
func (s *Search) tighten(cache *Cache, b *looseBlock, chosen func(loose) bool, out *[]candidate) {
	var file File
	var err error
	var buffer []byte
	for _, d := range b.documents {
		if !chosen(d) {
			continue
		}
		if d.least > s.limit() {
			s.passed.Store(true)
			continue
		}
		if file == nil && err == nil {
			file, err = cache.files.Open(b.file)
		}
		if err == nil {
			buffer, err = b.column.lowerHalves(file, d.document, buffer)
		}
		if err != nil {
			*out = append(*out, b.inexact(d))
			continue
		}
		if c, ok := b.column.compare(s, d.document, buffer); ok {
			*out = append(*out, c)
		} else {
			s.passed.Store(true)
		}
	}
	if file != nil {
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		cache.lost(b.block, b.file, err)
	}
}

// lowerHalves reads the lower halves of the codes of a document into buffer, which it returns.
func (c *Column) lowerHalves(file File, document int, buffer []byte) ([]byte, error) {
	first, last := int(c.from[document]), int(c.from[document+1])
	origin := first
	if c.origins != nil {
		origin = int(c.origins[document])
	}
	size := (last - first) * c.half
	buffer = slices.Grow(buffer[:0], size)[:size]
	return buffer, readItems(file, buffer, c.lowerAt+int64(origin*c.half), c.half, c.sums[first:last])
}

// compare compares a document with the lower halves of its codes.
func (c *Column) compare(s *Search, document int, lower []byte) (found candidate, ok bool) {
	q, limit := s.query, s.limit()
	least, most, first := nearest{}, nearest{}, int(c.from[document])
	for k := first; k < int(c.from[document+1]); k++ {
		if q.store != AnyStore && int(c.stores[k]) != q.store {
			continue
		}
		var upper [1]int32
		dotNibbles(q.code.leading, c.upper[k*c.half:(k+1)*c.half], upper[:])
		if c.far(q, k, upper[0], limit) {
			continue
		}
		if l, m, ok := c.bounds(q, k, upper[0], lower[(k-first)*c.half:(k-first+1)*c.half], limit); ok {
			least.add(l)
			most.add(m)
		}
	}
	if !least.has {
		return found, false
	}
	s.offer(most.distance)
	return candidate{Neighbour{c.ords[document], least.distance}, least.distance == most.distance}, true
}
