package facet

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"shoal/shard/docset"
	"shoal/wire"
)

// Columns keeps, for one state of a shard, the values of facets that are counted
// often by document. They change no answer. Safe for concurrent use; the zero
// value is ready, a nil *Columns keeps nothing.
type Columns struct {
	mu    sync.Mutex
	asked map[uint16]int
	kept  map[uint16]*column // nil for facets that are too large
	bytes int
	max   int // 0 is maxColumnBytes
}

// Bound sets how many bytes are kept at most, before the first use; 0 is a default.
func (c *Columns) Bound(bytes int) { c.max = bytes }

// Bytes returns what is kept.
func (c *Columns) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// column holds the values of one facet: ids[from[ord]:from[ord+1]] are those of a
// document, numbers first, then strings; short holds them in place of ids when they
// fit. When no document has two, one holds their numbers instead, counted from 1; 0 is
// none.
type column struct {
	numbers []float64
	forms   []string
	from    []uint32
	ids     []uint32
	short   []uint16
	one     []uint16
}

// Bounds of what is kept. Variables so that tests can reach both ways.
var (
	// columnAsks is the number of times that a facet is counted before it gets a
	// column, columnLeast the number of candidates from which on that counts.
	columnAsks, columnLeast = 2, 512
	// shortIDs is the number of values from which on their numbers take four bytes.
	shortIDs = 1 << 16
	// maxColumnBytes bounds the columns of one state of a shard unless it is told
	// otherwise.
	maxColumnBytes = 64 << 20
)

// column returns the column of a facet if it is worth having one.
func (c *Columns) column(ix Index, fid uint16, candidates int) (*column, error) {
	if c == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock() // who comes meanwhile waits for the column
	if kept, ok := c.kept[fid]; ok {
		return kept, nil
	}
	if candidates < columnLeast {
		return nil, nil
	}
	if c.asked == nil {
		c.asked, c.kept = make(map[uint16]int), make(map[uint16]*column)
	}
	if c.asked[fid]++; c.asked[fid] < columnAsks {
		return nil, nil
	}
	made, err := makeColumn(ix, fid, cmp.Or(c.max, maxColumnBytes)-c.bytes)
	if err != nil {
		return nil, err
	}
	c.kept[fid] = made
	if made != nil {
		c.bytes += made.bytes()
	}
	return made, nil
}

func (c *column) bytes() int {
	return 4*(len(c.from)+len(c.ids)) + 2*(len(c.short)+len(c.one)) + 8*len(c.numbers) + 48*len(c.forms)
}

// makeColumn turns the sets of values around; nil when they take more than limit.
func makeColumn(ix Index, fid uint16, limit int) (*column, error) {
	c := &column{}
	var sets []docset.Set
	size, last := 0, uint32(0)
	add := func(docs docset.Set) bool {
		sets = append(sets, docs)
		size += 56 + 4*docs.Len()
		if top, ok := docs.Max(); ok {
			last = max(last, top)
		}
		return size+4*int(last) <= limit
	}
	fits := true
	err := ix.Numbers(fid, false, func(v float64, docs docset.Set) bool {
		c.numbers = append(c.numbers, v)
		fits = add(docs)
		return fits
	})
	if err == nil && fits {
		err = ix.Strings(fid, false, func(form string, docs docset.Set) bool {
			c.forms = append(c.forms, form)
			fits = add(docs)
			return fits
		})
	}
	if err != nil || !fits {
		return nil, err
	}
	c.fill(sets, last)
	return c, nil
}

// fill notes the values by document.
func (c *column) fill(sets []docset.Set, last uint32) {
	c.from = make([]uint32, last+2)
	most := uint32(0)
	for _, docs := range sets {
		docs.Each(func(ord uint32) bool {
			c.from[ord+1]++
			most = max(most, c.from[ord+1])
			return true
		})
	}
	if most <= 1 && len(sets) < shortIDs {
		c.from, c.one = nil, make([]uint16, last+1)
		for id, docs := range sets {
			docs.Each(func(ord uint32) bool {
				c.one[ord] = uint16(id + 1)
				return true
			})
		}
		return
	}
	for i := 1; i < len(c.from); i++ {
		c.from[i] += c.from[i-1]
	}
	if len(sets) < shortIDs {
		c.short = byDocument[uint16](sets, c.from)
	} else {
		c.ids = byDocument[uint32](sets, c.from)
	}
}

// byDocument lists the numbers of sets by document, those of one from from[ord] on.
func byDocument[T uint16 | uint32](sets []docset.Set, from []uint32) []T {
	ids := make([]T, from[len(from)-1])
	next := slices.Clone(from)
	for id, docs := range sets {
		docs.Each(func(ord uint32) bool {
			ids[next[ord]] = T(id)
			next[ord]++
			return true
		})
	}
	return ids
}

// tally counts the values of some documents, and notes the first document of each.
func (c *column) tally(docs docset.Set) (counts, first []uint32) {
	counts = make([]uint32, len(c.numbers)+len(c.forms))
	first = make([]uint32, len(counts))
	var lows []uint16
	for block, docs := range docs.Blocks() {
		lows = docs.AppendTo(lows[:0])
		base := uint32(block) << 16
		switch {
		case c.one != nil:
			c.tallyOne(base, lows, counts, first)
		case c.short != nil:
			tallyMany(c.from, c.short, base, lows, counts, first)
		default:
			tallyMany(c.from, c.ids, base, lows, counts, first)
		}
	}
	return counts, first
}

func tallyMany[T uint16 | uint32](from []uint32, ids []T, base uint32, lows []uint16, counts, first []uint32) {
	for _, low := range lows {
		ord := base | uint32(low)
		if int(ord) >= len(from)-1 {
			return
		}
		for _, id := range ids[from[ord]:from[ord+1]] {
			if counts[id]++; counts[id] == 1 {
				first[id] = ord
			}
		}
	}
}

func (c *column) tallyOne(base uint32, lows []uint16, counts, first []uint32) {
	if int(base) >= len(c.one) {
		return
	}
	one := c.one[base:]
	for _, low := range lows {
		if int(low) >= len(one) {
			break
		}
		id := int(one[low]) - 1
		if id < 0 {
			continue
		}
		if counts[id]++; counts[id] == 1 {
			first[id] = base | uint32(low)
		}
	}
}

// count counts a facet. Strings that stand first are labelled, as in countTables.
func (c *column) count(ix Index, candidates docset.Set, ask wire.FacetAsk, limit int) (p wire.FacetPart, err error) {
	counts, first := c.tally(candidates)
	for i, v := range c.numbers {
		if counts[i] == 0 {
			continue
		}
		if !p.HasNumbers {
			p.HasNumbers, p.Min = true, v
		}
		p.Max = v
		p.Numbers = append(p.Numbers, wire.FacetNumber{Value: v, Count: uint64(counts[i])})
	}
	for i, form := range c.forms {
		if n := counts[len(c.numbers)+i]; n > 0 {
			p.Strings = append(p.Strings, wire.FacetString{Form: form, Count: uint64(n), First: first[len(c.numbers)+i]})
		}
	}
	if ask.Order == wire.FacetText {
		SortNumbers(p.Numbers, ask.Order)
	}
	cut(&p, ask.Order, limit)
	for _, s := range shown(ask, limit, &p) {
		l, err := spelling(ix, ask.Field, s.Form, s.First)
		if err != nil {
			return p, err
		}
		s.Labelled, s.Label = true, l
	}
	for i := range p.Strings {
		if s := &p.Strings[i]; !s.Labelled {
			s.First = 0
		}
	}
	return p, nil
}

// shown lists the strings that stand first in this shard: with one shard all that
// will be shown, with several most of them.
func shown(ask wire.FacetAsk, limit int, p *wire.FacetPart) []*wire.FacetString {
	top := make([]*wire.FacetString, len(p.Strings))
	for i := range p.Strings {
		top[i] = &p.Strings[i]
	}
	if ask.Order == wire.FacetCount {
		slices.SortFunc(top, func(a, b *wire.FacetString) int {
			switch {
			case a.Count > b.Count:
				return -1
			case a.Count < b.Count:
				return 1
			}
			return strings.Compare(b.Form, a.Form)
		})
	}
	if limit > 0 && len(top) > limit && !(ask.Order != wire.FacetText && len(p.Numbers) >= limit) {
		top = top[:limit]
	}
	return top
}
