package vector

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"shoal/shard/record"
)

// Rows that came from a file may be halved: only the upper halves of their codes stay in memory.
// A scan of them leaves the documents that the upper halves do not rule out. Their lower halves
// are read from the file once all blocks are scanned, the likely nearest first, because these
// rule out most others.

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

// looseBlock is what a scan of halved rows leaves.
type looseBlock struct {
	block     *Block
	rows      *Rows
	column    *Column
	documents []loose
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

// likely is how many of the likely nearest documents have their lower halves read first, for
// each one that is searched.
const likely = 4

// readLower finds the bounds of the documents that scans of halved rows left. found has a list
// for each block.
func (s *Search) readLower(ctx context.Context, cache *Cache, blocks []looseBlock, found [][]candidate) error {
	type place struct {
		block int
		loose
	}
	var all []place
	for i := range blocks {
		for _, d := range blocks[i].documents {
			all = append(all, place{i, d})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(a.block, b.block), cmp.Compare(a.document, b.document))
	})
	first := min(len(all), max(likely*s.k, 1<<Shift/64))
	for _, part := range [][]place{all[:first], all[first:]} {
		slices.SortFunc(part, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.document, b.document))
		})
		var groups [][]place
		for len(part) > 0 {
			n := 1
			for n < len(part) && part[n].block == part[0].block {
				n++
			}
			groups, part = append(groups, part[:n]), part[n:]
		}
		if err := each(ctx, len(groups), 1, func(ctx context.Context, lo, hi int) error {
			for _, group := range groups[lo:hi] {
				if err := ctx.Err(); err != nil {
					return err
				}
				at := group[0].block
				documents := make([]loose, len(group))
				for i := range group {
					documents[i] = group[i].loose
				}
				s.tighten(cache, &blocks[at], documents, &found[at])
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// tighten reads the lower halves of some documents of a block. If the file cannot be used, the
// documents keep their bounds, and the file is forgotten.
func (s *Search) tighten(cache *Cache, b *looseBlock, documents []loose, out *[]candidate) {
	file, err := cache.files.Open(b.rows.file)
	var buffer []byte
	for _, d := range documents {
		if d.least > s.limit() {
			s.passed.Store(true)
			continue
		}
		if err == nil {
			buffer, err = b.column.lowerHalves(file, d.document, buffer)
		}
		if err != nil {
			*out = append(*out, candidate{Neighbour{b.column.ords[d.document], d.least}, false})
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
		cache.lost(b.block, b.rows.file, err)
	}
}

// lowerHalves reads the lower halves of the codes of a document into buffer, which it returns.
func (c *Column) lowerHalves(file File, document int, buffer []byte) ([]byte, error) {
	first, last := int(c.from[document]), int(c.from[document+1])
	size := (last - first) * c.half
	buffer = slices.Grow(buffer[:0], size)[:size]
	if err := readFull(file, buffer, c.lowerAt+int64(first*c.half)); err != nil {
		return buffer, err
	}
	for k := first; k < last; k++ {
		upper, lower := c.upper[k*c.half:(k+1)*c.half], buffer[(k-first)*c.half:(k-first+1)*c.half]
		if sumOfItems(upper, lower) != c.sums[k] {
			return buffer, ErrSheet
		}
	}
	return buffer, nil
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
