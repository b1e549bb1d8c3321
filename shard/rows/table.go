package rows

import (
	"cmp"
	"slices"
	"sync"

	"shoal/shard/docset"
)

// Table says which ordinal each row of a shard has. A nil Table is that of a shard whose
// rows are the ordinals.
type Table struct {
	pages     []*page  // nil for a page without documents
	used      []uint32 // the numbers of the others, ascending
	ascending bool
}

// page are the ordinals of 2^12 rows.
type page struct {
	ordinals []uint32 // by row within the page; None without document
	// least and most are the bounds of the ordinals. ascending means that they ascend
	// with the rows.
	least, most uint32
	ascending   bool

	once sync.Once
	// sorted are the rows with a document in the order of their ordinals.
	sorted []uint16
}

// newPage returns the page of some ordinals, or nil if no row has a document.
func newPage(ordinals []uint32) *page {
	for len(ordinals) > 0 && ordinals[len(ordinals)-1] == None {
		ordinals = ordinals[:len(ordinals)-1]
	}
	if len(ordinals) == 0 {
		return nil
	}
	p := &page{ordinals: ordinals, least: None, ascending: true}
	for _, ord := range ordinals {
		if ord == None {
			continue
		}
		if p.least != None && ord < p.most {
			p.ascending = false
		}
		p.least, p.most = min(p.least, ord), max(p.most, ord)
	}
	return p
}

// sort makes sorted.
func (p *page) sort() {
	p.once.Do(func() {
		p.sorted = make([]uint16, 0, len(p.ordinals))
		for low, ord := range p.ordinals {
			if ord != None {
				p.sorted = append(p.sorted, uint16(low))
			}
		}
		if !p.ascending {
			slices.SortFunc(p.sorted, func(a, b uint16) int { return cmp.Compare(p.ordinals[a], p.ordinals[b]) })
		}
	})
}

// from returns the index of the first row in sorted whose ordinal is at least ordinal,
// and whether it has that ordinal.
func (p *page) from(ordinal uint32) (at int, ok bool) {
	p.sort()
	return slices.BinarySearchFunc(p.sorted, ordinal, func(low uint16, ordinal uint32) int { return cmp.Compare(p.ordinals[low], ordinal) })
}

// row returns the row of an ordinal.
func (t *Table) row(ordinal uint32) (row uint32, ok bool) {
	used := t.used
	if t.ascending { // one page can have it
		at, _ := slices.BinarySearchFunc(used, ordinal, func(n, ordinal uint32) int { return cmp.Compare(t.pages[n].most, ordinal) })
		used = used[min(at, len(used)):min(at+1, len(used))]
	}
	for _, n := range used {
		p := t.pages[n]
		if ordinal < p.least || ordinal > p.most {
			continue
		}
		if at, ok := p.from(ordinal); ok {
			return n<<PageShift + uint32(p.sorted[at]), true
		}
	}
	return None, false
}

// first returns the first row whose ordinal is at least ordinal. Rows must ascend. ok is
// false if there is none.
func (t *Table) first(ordinal uint32) (row uint32, ok bool) {
	at, _ := slices.BinarySearchFunc(t.used, ordinal, func(n, ordinal uint32) int { return cmp.Compare(t.pages[n].most, ordinal) })
	if at == len(t.used) {
		return None, false
	}
	n := t.used[at]
	low, _ := t.pages[n].from(ordinal)
	return n<<PageShift + uint32(t.pages[n].sorted[low]), true
}

// With returns the table after some changes. pages ascend; changes[i] are the entries of
// page pages[i], whose rows ascend.
func (t *Table) With(pages []uint32, changes [][]Entry) *Table {
	out := &Table{}
	if t != nil {
		out.pages = slices.Clone(t.pages)
	}
	for i, number := range pages {
		if len(changes[i]) == 0 {
			continue
		}
		for int(number) >= len(out.pages) {
			out.pages = append(out.pages, nil)
		}
		var ordinals []uint32
		if old := out.pages[number]; old != nil {
			ordinals = slices.Clone(old.ordinals)
		}
		for last := int(changes[i][len(changes[i])-1].Low); len(ordinals) <= last; {
			ordinals = append(ordinals, None)
		}
		for _, e := range changes[i] {
			ordinals[e.Low] = e.Ordinal
		}
		out.pages[number] = newPage(ordinals)
	}
	out.ascending = true
	most, any := uint32(0), false
	for n, p := range out.pages {
		if p == nil {
			continue
		}
		out.used = append(out.used, uint32(n))
		out.ascending = out.ascending && p.ascending && (!any || p.least > most)
		most, any = p.most, true
	}
	return out
}

// Ordinal returns the ordinal of a row, None if it has no document.
func (t *Table) Ordinal(row uint32) uint32 {
	if t == nil {
		return row
	}
	if n := int(row >> PageShift); n < len(t.pages) && t.pages[n] != nil {
		if low := row & (PageRows - 1); int(low) < len(t.pages[n].ordinals) {
			return t.pages[n].ordinals[low]
		}
	}
	return None
}

// Ordinals returns the ordinals of the rows of a set.
func (t *Table) Ordinals(set docset.Set) docset.Set {
	if t == nil {
		return set
	}
	var out docset.Builder
	set.Each(func(row uint32) bool {
		out.Add(t.Ordinal(row))
		return true
	})
	return out.Set()
}

// MemBytes estimates the memory of the table.
func (t *Table) MemBytes() (n int) {
	if t == nil {
		return 0
	}
	for _, p := range t.pages {
		if p != nil {
			n += 96 + 6*cap(p.ordinals) // with sorted
		}
	}
	return n + 8*len(t.pages)
}

// Equal reports whether both say the same.
func (t *Table) Equal(o *Table) bool {
	if t == nil || o == nil {
		return t == o
	}
	for n := range max(len(t.pages), len(o.pages)) {
		var a, b []uint32
		if n < len(t.pages) && t.pages[n] != nil {
			a = t.pages[n].ordinals
		}
		if n < len(o.pages) && o.pages[n] != nil {
			b = o.pages[n].ordinals
		}
		if !slices.Equal(a, b) {
			return false
		}
	}
	return true
}
