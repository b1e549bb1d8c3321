package vector

import (
	"shoal/shard/record"
)

// patch returns the rows of a block after some of its documents changed. It reads only
// these.
func patch(base *Rows, changed []uint32, source Source) (*Rows, error) {
	fresh := newRows()
	err := source.VisitVectors(changed, func(ord uint32, stored []byte) error {
		return record.EachStored(stored, func(e *record.StoredEmbedding) { fresh.add(ord, e) })
	})
	if err != nil {
		return nil, err
	}
	fresh.seal()
	out := newRows()
	for form, c := range base.columns {
		out.merge(form, c, fresh.columns[form], changed)
	}
	for form, c := range fresh.columns {
		if base.columns[form] == nil {
			out.columns[form] = c
		}
	}
	out.size()
	return out, nil
}

// merge builds the column of a form from the unchanged documents of base and those of
// fresh, which may be nil.
func (r *Rows) merge(form Form, base, fresh *Column, changed []uint32) {
	c := newColumn(form)
	c.upper, c.lower, c.bits = make([]byte, 0, len(base.upper)), make([]byte, 0, len(base.lower)), make([]uint64, 0, len(base.bits))
	if fresh == nil {
		fresh = &Column{from: []uint32{0}}
	}
	i, k := 0, 0
	for _, ord := range changed {
		lo := i
		for i < len(base.ords) && base.ords[i] < ord {
			i++
		}
		c.take(base, lo, i)
		if i < len(base.ords) && base.ords[i] == ord {
			i++
		}
		if k < len(fresh.ords) && fresh.ords[k] == ord {
			c.take(fresh, k, k+1)
			k++
		}
	}
	c.take(base, i, len(base.ords))
	if len(c.ords) > 0 {
		c.from = append(c.from, uint32(c.len()))
		r.columns[form] = c
	}
}

// take appends the documents [lo, hi) of a sealed column of the same form.
func (c *Column) take(of *Column, lo, hi int) {
	if lo == hi {
		return
	}
	c.takeHeads(of, lo, hi)
	first, last := int(of.from[lo]), int(of.from[hi])
	if c.quantized {
		c.bits = append(c.bits, of.bits[first*of.words:last*of.words]...)
		return
	}
	c.upper, c.lower = append(c.upper, of.upper[first*of.half:last*of.half]...), append(c.lower, of.lower[first*of.half:last*of.half]...)
}

// takeHeads is take for everything but the codes.
func (c *Column) takeHeads(of *Column, lo, hi int) {
	first, last, at := int(of.from[lo]), int(of.from[hi]), uint32(c.len())
	for _, from := range of.from[lo:hi] {
		c.from = append(c.from, at+from-of.from[lo])
	}
	c.ords, c.flags = append(c.ords, of.ords[lo:hi]...), append(c.flags, of.flags[lo:hi]...)
	c.stores = append(c.stores, of.stores[first:last]...)
	if !c.quantized {
		c.scales, c.norms = append(c.scales, of.scales[first:last]...), append(c.norms, of.norms[first:last]...)
		c.missing, c.coarse = append(c.missing, of.missing[first:last]...), append(c.coarse, of.coarse[first:last]...)
	}
}
