package facet

import (
	"slices"

	"shoal/shard/docset"
	"shoal/wire"
)

// column holds the values of one facet, numbers first, then strings. Many documents
// have the same list of values: list[ord] is the number of a document's list, and
// ids[from[n]:from[n+1]] are the values of list n; list 0 is empty. If there are too
// many lists, each document has its own: list is nil, and ids[from[ord]:from[ord+1]]
// are the values of a document. short replaces ids if the values fit. same: list n is
// the single value n-1, because no document has two. several: some document has several
// values.
type column struct {
	numbers []float64
	forms   []string
	list    []uint16
	from    []uint32
	ids     []uint32
	short   []uint16
	same    bool
	several bool
}

func (c *column) bytes() int {
	return 4*(len(c.from)+len(c.ids)) + 2*(len(c.short)+len(c.list)) + valueBytes(c.numbers, c.forms)
}

func (c *column) valueCount() int { return len(c.numbers) + len(c.forms) }

func valueBytes(numbers []float64, forms []string) int { return 8*len(numbers) + 48*len(forms) }

// visits is about the number of steps that counting some documents takes.
func (c *column) visits(documents int) int {
	if c.list != nil { // lists are counted first
		return documents
	}
	return documents * (len(c.ids) + len(c.short)) / len(c.from)
}

// makeColumn inverts the sets of values. It returns nil if they exceed limit.
func makeColumn(ix Index, fid uint16, limit int) (*column, error) {
	found := newLists()
	numbers, forms, whole, err := eachValue(ix, fid, func(value uint32, docs docset.Set) bool {
		top, _ := docs.Max()
		return 2*int(top) <= limit && found.add(value, docs)
	})
	if err != nil {
		return nil, err
	}
	if whole {
		if c := found.column(limit - valueBytes(numbers, forms)); c != nil {
			c.numbers, c.forms = numbers, forms
			return c, nil
		}
	}
	return makeByDocument(ix, fid, limit)
}

// eachValue visits the values of a facet, numbered from 0, until add returns false.
// whole means that it did not.
func eachValue(ix Index, fid uint16, add func(value uint32, docs docset.Set) bool) (numbers []float64, forms []string, whole bool, err error) {
	whole = true
	err = ix.Numbers(fid, false, func(v float64, docs docset.Set) bool {
		whole = add(uint32(len(numbers)), docs)
		numbers = append(numbers, v)
		return whole
	})
	if err == nil && whole {
		err = ix.Strings(fid, false, func(form string, docs docset.Set) bool {
			whole = add(uint32(len(numbers)+len(forms)), docs)
			forms = append(forms, form)
			return whole
		})
	}
	return numbers, forms, whole, err
}

// makeByDocument returns a column in which each document has its own list.
func makeByDocument(ix Index, fid uint16, limit int) (*column, error) {
	c := &column{}
	var sets []docset.Set
	size, last := 0, uint32(0)
	var err error
	var fits bool
	c.numbers, c.forms, fits, err = eachValue(ix, fid, func(_ uint32, docs docset.Set) bool {
		sets = append(sets, docs)
		size += 56 + 4*docs.Len()
		if top, ok := docs.Max(); ok {
			last = max(last, top)
		}
		return size+4*int(last) <= limit
	})
	if err != nil || !fits {
		return nil, err
	}
	c.fill(sets, last)
	return c, nil
}

// fill sets the values by document.
func (c *column) fill(sets []docset.Set, last uint32) {
	c.from = make([]uint32, last+2)
	for _, docs := range sets {
		docs.Each(func(ord uint32) bool {
			c.from[ord+1]++
			return true
		})
	}
	for i := 1; i < len(c.from); i++ {
		c.several = c.several || c.from[i] > 1
		c.from[i] += c.from[i-1]
	}
	if len(sets) < shortIDs {
		c.short = byDocument[uint16](sets, c.from)
	} else {
		c.ids = byDocument[uint32](sets, c.from)
	}
}

// byDocument lists the numbers of sets by document; those of ord start at from[ord].
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

// tally counts the values of some documents and finds the first document of each value.
func (c *column) tally(docs docset.Set) (counts, first []uint32) {
	values := c.valueCount()
	if c.same {
		counts, first = make([]uint32, values+1), make([]uint32, values+1)
		c.tallyLists(docs, counts, first)
		return counts[1:], first[1:]
	}
	counts, first = make([]uint32, values), make([]uint32, values)
	switch {
	case c.list != nil && docs.Len() >= len(c.from):
		c.tallyValues(docs, counts, first)
	case c.short != nil:
		tallyEach(c.list, c.from, c.short, docs, counts, first)
	default:
		tallyEach(c.list, c.from, c.ids, docs, counts, first)
	}
	return counts, first
}

// tallyValues counts the lists of some documents, then the values of the lists.
func (c *column) tallyValues(docs docset.Set, counts, first []uint32) {
	times, begins := make([]uint32, len(c.from)-1), make([]uint32, len(c.from)-1)
	c.tallyLists(docs, times, begins)
	for n, times := range times {
		if times == 0 {
			continue
		}
		for _, id := range c.ids[c.from[n]:c.from[n+1]] {
			if counts[id] == 0 || begins[n] < first[id] {
				first[id] = begins[n]
			}
			counts[id] += times
		}
	}
}

// tallyLists counts the lists of some documents and finds the first document of each
// list.
func (c *column) tallyLists(docs docset.Set, counts, first []uint32) {
	var lows []uint16
	for block, docs := range docs.Blocks() {
		base := uint32(block) << 16
		if int(base) >= len(c.list) {
			break
		}
		lows = docs.AppendTo(lows[:0])
		list := c.list[base:]
		for _, low := range lows {
			if int(low) >= len(list) {
				break
			}
			n := list[low]
			if counts[n]++; counts[n] == 1 {
				first[n] = base | uint32(low)
			}
		}
	}
}

// tallyEach counts the values document by document.
func tallyEach[T uint16 | uint32](list []uint16, from []uint32, ids []T, docs docset.Set, counts, first []uint32) {
	end := len(from) - 1
	if list != nil {
		end = len(list)
	}
	var lows []uint16
	for block, docs := range docs.Blocks() {
		lows = docs.AppendTo(lows[:0])
		for _, low := range lows {
			ord := uint32(block)<<16 | uint32(low)
			if int(ord) >= end {
				return
			}
			n := ord
			if list != nil {
				n = uint32(list[ord])
			}
			for _, id := range ids[from[n]:from[n+1]] {
				if counts[id]++; counts[id] == 1 {
					first[id] = ord
				}
			}
		}
	}
}

// count counts a facet. It labels the strings that come first, as countTables does.
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
		if ask.Order != wire.FacetValue || limit == 0 || len(p.Numbers) < limit {
			p.Numbers = append(p.Numbers, wire.FacetNumber{Value: v, Count: uint64(counts[i])})
		}
	}
	all := ask.Order == wire.FacetCount || limit == 0 || ask.Order == wire.FacetValue && p.HasNumbers
	if all {
		p.Strings = make([]wire.FacetString, 0, min(len(c.forms), candidates.Len()))
	}
	for i, form := range c.forms {
		if !all && len(p.Strings) == limit {
			break // others would be cut
		}
		if n := counts[len(c.numbers)+i]; n > 0 {
			p.Strings = append(p.Strings, wire.FacetString{Form: form, Count: uint64(n), First: first[len(c.numbers)+i]})
		}
	}
	if ask.Order == wire.FacetText {
		SortNumbers(p.Numbers, ask.Order)
	}
	cut(&p, ask.Order, limit)
	order := ix.Order()
	if !order.Ascending() { // the first row of a value is not its lowest document
		for i := range p.Strings {
			p.Strings[i].First = 0
		}
		return p, labelTop(ix, candidates, ask, limit, &p)
	}
	for _, s := range shown(ask, limit, &p) {
		l, err := spelling(ix, ask.Field, s.Form, s.First)
		if err != nil {
			return p, err
		}
		s.Labelled, s.Label, s.First = true, l, order.Ordinal(s.First)
	}
	for i := range p.Strings {
		if s := &p.Strings[i]; !s.Labelled {
			s.First = 0
		}
	}
	return p, nil
}

// shown lists the strings that come first in this shard: with one shard all that will
// be shown, with several most of them.
func shown(ask wire.FacetAsk, limit int, p *wire.FacetPart) []*wire.FacetString {
	n := len(p.Strings)
	if limit > 0 && !(ask.Order != wire.FacetText && len(p.Numbers) >= limit) {
		n = min(n, limit)
	}
	top := make([]*wire.FacetString, n)
	for i := range top {
		top[i] = &p.Strings[i]
	}
	if ask.Order == wire.FacetCount {
		for i, at := range wire.Leading(p.Strings, n) {
			top[i] = &p.Strings[at]
		}
	}
	return top
}
