package rows

import (
	"cmp"
	"iter"
	"slices"

	"shoal/shard/docset"
)

// Order is the order of the documents of a space, by ordinal. A nil Order is that of one
// shard whose rows are the ordinals.
type Order struct {
	parts []Part
	// pages are those of all parts by row of the space, ranges their ordinals.
	pages     []span
	ascending bool
	// most is the greatest ordinal, if any is set.
	most uint32
	any  bool
	// least bounds the ordinals of each block of 2^16 rows from below, None without
	// documents.
	least []uint32
}

// Part is one shard of a space. Its rows begin at Base, a multiple of 2^16, and end
// before the next part begins.
type Part struct {
	Base  uint32
	Table *Table
	Live  docset.Set // rows of the shard
}

// span is a page of the space: ordinals by row, or, if that is nil, the ordinals from
// first on.
type span struct {
	ordinals []uint32
	first    uint32
}

// NewOrder returns the order of some shards read as one. Bases ascend.
func NewOrder(parts []Part) *Order {
	if len(parts) == 1 && parts[0].Table == nil {
		return nil
	}
	o := &Order{parts: parts, ascending: true}
	for i := range parts {
		p := &parts[i]
		last, ok := p.Live.Max()
		if !ok {
			continue
		}
		for n := range last>>PageShift + 1 {
			o.set(p.Base>>PageShift+n, p.Table, n)
		}
		least, most := p.bounds(last)
		o.ascending = o.ascending && (p.Table == nil || p.Table.ascending) && (!o.any || least > o.most)
		o.most, o.any = max(o.most, most), true
	}
	o.findLeast()
	return o
}

// bounds returns the least and the greatest ordinal of a part that has documents.
func (p *Part) bounds(last uint32) (least, most uint32) {
	if p.Table == nil {
		least, _ = p.Live.Min()
		return least, last
	}
	least = None
	for _, n := range p.Table.used {
		pg := p.Table.pages[n]
		least, most = min(least, pg.least), max(most, pg.most)
	}
	return least, most
}

// set sets a page of the space to the n-th of a part.
func (o *Order) set(page uint32, t *Table, n uint32) {
	for int(page) >= len(o.pages) {
		o.pages = append(o.pages, span{ordinals: []uint32{}})
	}
	if t == nil {
		o.pages[page] = span{first: n << PageShift}
	} else if int(n) < len(t.pages) && t.pages[n] != nil {
		o.pages[page] = span{ordinals: t.pages[n].ordinals}
	}
}

// findLeast sets the least ordinals.
func (o *Order) findLeast() {
	last := uint32(0)
	if n := len(o.pages); n > 0 {
		last = uint32(n-1) >> (16 - PageShift)
	}
	o.least = slices.Repeat([]uint32{None}, int(last)+1)
	for i := range o.parts {
		p := &o.parts[i]
		at := p.Base >> 16
		if p.Table == nil {
			for block := range p.Live.Blocks() {
				o.least[at+uint32(block)] = uint32(block) << 16
			}
			continue
		}
		for _, n := range p.Table.used {
			if b := at + n>>(16-PageShift); int(b) < len(o.least) {
				o.least[b] = min(o.least[b], p.Table.pages[n].least)
			}
		}
	}
}

// Most returns the greatest ordinal. The index has about as many documents. ok is false if
// the space has none, or if the rows are the ordinals.
func (o *Order) Most() (ordinal uint32, ok bool) {
	if o == nil {
		return 0, false
	}
	return o.most, o.any
}

// Ascending reports whether the order of rows is the order of ordinals.
func (o *Order) Ascending() bool { return o == nil || o.ascending }

// Ordinal returns the ordinal of a row, None if it has no document.
func (o *Order) Ordinal(row uint32) uint32 {
	if o == nil {
		return row
	}
	n := row >> PageShift
	if int(n) >= len(o.pages) {
		return None
	}
	p := &o.pages[n]
	low := row & (PageRows - 1)
	switch {
	case p.ordinals == nil:
		return p.first + low
	case int(low) < len(p.ordinals):
		return p.ordinals[low]
	}
	return None
}

// Row returns the row of an ordinal. ok is false if no document of the space has it.
func (o *Order) Row(ordinal uint32) (row uint32, ok bool) {
	if o == nil {
		return ordinal, true
	}
	for i := range o.parts {
		p := &o.parts[i]
		if p.Table == nil {
			if p.Live.Contains(ordinal) {
				return p.Base + ordinal, true
			}
			continue
		}
		if row, ok := p.Table.row(ordinal); ok {
			return p.Base + row, true
		}
	}
	return None, false
}

// Compare compares two rows by ordinal.
func (o *Order) Compare(a, b uint32) int { return cmp.Compare(o.Ordinal(a), o.Ordinal(b)) }

// Sort sorts rows by ordinal.
func (o *Order) Sort(list []uint32) {
	if o.Ascending() {
		slices.Sort(list)
		return
	}
	slices.SortFunc(list, o.Compare)
}

// Sorted returns the rows of a set by ordinal.
func (o *Order) Sorted(set docset.Set) []uint32 {
	list := set.AppendTo(make([]uint32, 0, set.Len()))
	if !o.Ascending() {
		o.Sort(list)
	}
	return list
}

// All returns an iterator over the rows of a set by ordinal.
func (o *Order) All(set docset.Set) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { o.Each(set, yield) }
}

// Each calls f for the rows of a set by ordinal until f returns false.
func (o *Order) Each(set docset.Set, f func(row uint32) bool) {
	if o.Ascending() {
		set.Each(f)
		return
	}
	for _, row := range o.Sorted(set) {
		if !f(row) {
			return
		}
	}
}

// Least returns a lower bound of the ordinals of a set, or None if it is empty. If rows
// ascend, it is the least ordinal.
func (o *Order) Least(set docset.Set) uint32 {
	if o.Ascending() {
		if row, ok := set.Min(); ok {
			return o.Ordinal(row)
		}
		return None
	}
	least := None
	for block := range set.Blocks() {
		least = min(least, o.least[block])
	}
	return least
}

// Min returns the row of a set with the least ordinal.
func (o *Order) Min(set docset.Set) (row uint32, ok bool) {
	first := o.First(set, 1)
	if len(first) == 0 {
		return 0, false
	}
	return first[0], true
}

// First returns the rows of a set with the n least ordinals, by ordinal.
func (o *Order) First(set docset.Set, n int) []uint32 {
	n = min(n, set.Len())
	if n <= 0 {
		return nil
	}
	if o.Ascending() {
		out := make([]uint32, 0, n)
		set.Each(func(row uint32) bool {
			out = append(out, row)
			return len(out) < n
		})
		return out
	}
	if n == set.Len() {
		return o.Sorted(set)
	}
	return o.first(set, n)
}

// FirstOrdinals returns the n least ordinals of a set, ascending.
func (o *Order) FirstOrdinals(set docset.Set, n int) []uint32 {
	if o.Ascending() || n < set.Len() {
		return o.Ordinals(o.First(set, n))
	}
	list := o.Ordinals(set.AppendTo(make([]uint32, 0, set.Len())))
	slices.Sort(list)
	return list
}

// first is First for rows that do not ascend. It reads the blocks in the order of their
// least ordinals until no other can have one of the first.
func (o *Order) first(set docset.Set, n int) []uint32 {
	type ranked struct{ ordinal, row uint32 }
	byOrdinal := func(a, b ranked) int { return cmp.Compare(a.ordinal, b.ordinal) }
	list, most := make([]ranked, 0, 2*n), None // greater ordinals are not among the first
	cut := func() {
		if slices.SortFunc(list, byOrdinal); len(list) >= n {
			list, most = list[:n], list[n-1].ordinal
		}
	}
	for _, block := range o.Blocks(set) {
		if len(list) >= n {
			cut()
		}
		if o.least[block] > most {
			break
		}
		high := uint32(block) << 16
		set.Block(block).Each(func(low uint16) bool {
			row := high | uint32(low)
			if ordinal := o.Ordinal(row); ordinal <= most {
				if list = append(list, ranked{ordinal, row}); len(list) == 2*n {
					cut()
				}
			}
			return true
		})
	}
	cut()
	out := make([]uint32, len(list))
	for i := range list {
		out[i] = list[i].row
	}
	return out
}

// Blocks returns the blocks of a set in the order of their least ordinals.
func (o *Order) Blocks(set docset.Set) []uint16 {
	var blocks []uint16
	for block := range set.Blocks() {
		blocks = append(blocks, block)
	}
	if !o.Ascending() {
		slices.SortStableFunc(blocks, func(a, b uint16) int { return cmp.Compare(o.least[a], o.least[b]) })
	}
	return blocks
}

// From returns the rows of a set whose ordinals are at least ordinal.
func (o *Order) From(set docset.Set, ordinal uint32) docset.Set {
	switch {
	case ordinal == 0:
		return set
	case o == nil:
		return set.AndNot(docset.Range(0, ordinal))
	}
	for i := range o.parts {
		set = set.AndNot(o.below(i, set, ordinal))
	}
	return set
}

// below returns the rows of a part in a set whose ordinals are less than ordinal.
func (o *Order) below(part int, set docset.Set, ordinal uint32) docset.Set {
	p, end := &o.parts[part], uint32(min(len(o.pages)<<PageShift, int(None)))
	if part+1 < len(o.parts) {
		end = o.parts[part+1].Base
	}
	if p.Table == nil || p.Table.ascending {
		last, ok := ordinal, true
		if p.Table != nil {
			last, ok = p.Table.first(ordinal)
		}
		if ok && last < end-p.Base {
			end = p.Base + last
		}
		return docset.Range(p.Base, end)
	}
	var out docset.Builder
	set.And(docset.Range(p.Base, end)).Each(func(row uint32) bool {
		if o.Ordinal(row) < ordinal {
			out.Add(row)
		}
		return true
	})
	return out.Set()
}

// Ordinals returns the ordinals of rows, in the same order. It may return the list
// itself.
func (o *Order) Ordinals(list []uint32) []uint32 {
	if o == nil || len(list) == 0 {
		return list
	}
	out := make([]uint32, len(list))
	for i, row := range list {
		out[i] = o.Ordinal(row)
	}
	return out
}

// Rows returns the rows of ordinals, in the same order, None for those that no document
// of the space has. It may return the list itself.
func (o *Order) Rows(ordinals []uint32) []uint32 {
	if o == nil || len(ordinals) == 0 {
		return ordinals
	}
	out := make([]uint32, len(ordinals))
	for i, ordinal := range ordinals {
		out[i], _ = o.Row(ordinal)
	}
	return out
}
