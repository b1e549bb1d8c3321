package facets

import (
	"cmp"
	"slices"
	"strings"

	"shoal/api"
	"shoal/query/filter"
	"shoal/wire"
)

// Distribution is one facet over all shards.
type Distribution struct {
	order   wire.FacetOrder
	limit   int
	numbers []wire.FacetNumber
	strings []wire.FacetString
	parts   [][]wire.FacetString // the strings of each shard, by form
	places  map[string]int       // of the strings whose labels are missing

	// HasNumbers tells that some candidate has a number; Min and Max bound them.
	HasNumbers bool
	Min, Max   float64
}

// Merge adds up the parts of one facet, one per shard, which it may change. limit is the
// setting maxValuesPerFacet.
func Merge(parts []wire.FacetPart, order wire.FacetOrder, limit int) *Distribution {
	d := &Distribution{order: order, limit: limit, parts: make([][]wire.FacetString, len(parts))}
	numbers := map[float64]int{}
	for shard := range parts {
		p := &parts[shard]
		d.bound(p)
		for _, n := range p.Numbers {
			if at, ok := numbers[n.Value]; ok {
				d.numbers[at].Count += n.Count
				continue
			}
			numbers[n.Value] = len(d.numbers)
			d.numbers = append(d.numbers, n)
		}
		d.parts[shard] = p.Strings
	}
	d.strings = merged(d.parts, func(a, b *wire.FacetString) int { return strings.Compare(a.Form, b.Form) }, join)
	d.sort()
	d.cut()
	return d
}

// Cut lists the parts whose strings were cut at the limit, although none is: they have no numbers,
// but those of other parts reach the limit, behind which strings are not limited (see cut).
func Cut(parts []wire.FacetPart, order wire.FacetOrder, limit int) (cut []int) {
	if order != wire.FacetValue || limit == 0 {
		return nil
	}
	for i := range parts {
		if !parts[i].HasNumbers && len(parts[i].Strings) == limit {
			cut = append(cut, i)
		}
	}
	if len(cut) == 0 || len(cut) == len(parts) {
		return nil
	}
	numbers := map[float64]struct{}{}
	for i := range parts {
		for _, n := range parts[i].Numbers {
			numbers[n.Value] = struct{}{}
		}
	}
	if len(numbers) < limit {
		return nil
	}
	return cut
}

func (d *Distribution) bound(p *wire.FacetPart) {
	if !p.HasNumbers {
		return
	}
	if !d.HasNumbers {
		d.HasNumbers, d.Min, d.Max = true, p.Min, p.Max
	}
	d.Min, d.Max = min(d.Min, p.Min), max(d.Max, p.Max)
}

// join adds a count to that of the same string and keeps the label of the lower document.
func join(to, from *wire.FacetString) {
	count := to.Count + from.Count
	if from.Labelled && (!to.Labelled || from.First < to.First) {
		*to = *from
	}
	to.Count = count
}

// sort sorts the numbers, and the strings, which are in the order of their forms. Ordered by
// count, it keeps as many strings as can be shown: each takes a place or overwrites a number.
func (d *Distribution) sort() {
	switch d.order {
	case wire.FacetText:
		texts := make(map[float64]string, len(d.numbers))
		for _, n := range d.numbers {
			texts[n.Value] = filter.NumberText(n.Value)
		}
		slices.SortFunc(d.numbers, func(a, b wire.FacetNumber) int { return strings.Compare(texts[a.Value], texts[b.Value]) })
	case wire.FacetValue:
		slices.SortFunc(d.numbers, func(a, b wire.FacetNumber) int { return cmp.Compare(a.Value, b.Value) })
	case wire.FacetCount:
		slices.SortFunc(d.numbers, func(a, b wire.FacetNumber) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Value, a.Value))
		})
		n := len(d.strings)
		if len(d.numbers) < d.limit {
			n = d.limit
		}
		leading := wire.Leading(d.strings, n)
		sorted := make([]wire.FacetString, len(leading))
		for i, at := range leading {
			sorted[i] = d.strings[at]
		}
		d.strings = sorted
	}
}

// cut applies the limit, to numbers first. Except in the order of texts, the limit is tested
// for equality after each value, so that strings are not limited at all once numbers have
// reached it (spec ranking 7.1). A string that looks like a number takes no place of its own.
func (d *Distribution) cut() {
	if d.order != wire.FacetText && d.limit == 0 {
		return
	}
	if len(d.numbers) > d.limit {
		d.numbers = d.numbers[:d.limit]
	}
	room := d.limit - len(d.numbers)
	if d.order == wire.FacetText {
		d.strings = d.strings[:min(room, len(d.strings))]
		return
	}
	shown := make(map[string]bool, len(d.numbers))
	for _, n := range d.numbers {
		shown[filter.NumberText(n.Value)] = true
	}
	size := len(d.numbers)
	for i, s := range d.strings {
		text := s.Form
		if s.Labelled {
			text = s.Label
		}
		if !shown[text] {
			size++
		}
		if size == d.limit {
			d.strings = d.strings[:i+1]
			return
		}
	}
}

// Missing returns, for each shard that must be asked, the forms whose label is not known; nil
// when all are. Pass the answers to Label.
func (d *Distribution) Missing() map[int][]string {
	var missing map[int][]string
	for i := range d.strings {
		form := d.strings[i].Form
		for shard, part := range d.parts {
			at, ok := slices.BinarySearchFunc(part, form, func(s wire.FacetString, form string) int { return strings.Compare(s.Form, form) })
			if !ok || part[at].Labelled {
				continue
			}
			if missing == nil {
				missing, d.places = map[int][]string{}, map[string]int{}
			}
			missing[shard] = append(missing[shard], form)
			d.places[form] = i
		}
	}
	return missing
}

// Label adds a shard's answer about a form that Missing returned.
func (d *Distribution) Label(form string, l wire.FacetLabel) {
	i, ok := d.places[form]
	if !ok || !l.Found {
		return
	}
	if s := &d.strings[i]; !s.Labelled || l.First < s.First {
		s.Labelled, s.First, s.Label = true, l.First, l.Text
	}
}

// Values returns the final list: numbers, then strings. A string spelt like a number overwrites
// its count in place.
func (d *Distribution) Values() []api.FacetValue {
	list := make([]api.FacetValue, 0, len(d.numbers)+len(d.strings))
	places := make(map[string]int, len(d.numbers))
	put := func(text string, count uint64) {
		if at, ok := places[text]; ok {
			list[at].Count = count
			return
		}
		places[text] = len(list)
		list = append(list, api.FacetValue{Value: text, Count: count})
	}
	for _, n := range d.numbers {
		put(filter.NumberText(n.Value), n.Count)
	}
	for _, s := range d.strings {
		text := s.Form
		if s.Labelled {
			text = s.Label
		}
		put(text, s.Count)
	}
	return list
}
