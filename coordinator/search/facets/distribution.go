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
	holders map[string][]int // shards that have a form and did not send its label

	// HasNumbers tells that some candidate has a number; Min and Max bound them.
	HasNumbers bool
	Min, Max   float64
}

// Merge adds up the parts of one facet, one per shard. limit is the setting maxValuesPerFacet.
func Merge(parts []wire.FacetPart, order wire.FacetOrder, limit int) *Distribution {
	d := &Distribution{order: order, limit: limit, holders: map[string][]int{}}
	numbers := map[float64]int{}
	forms := map[string]int{}
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
		for _, s := range p.Strings {
			if !s.Labelled {
				d.holders[s.Form] = append(d.holders[s.Form], shard)
			}
			if at, ok := forms[s.Form]; ok {
				d.strings[at] = join(d.strings[at], s)
				continue
			}
			forms[s.Form] = len(d.strings)
			d.strings = append(d.strings, s)
		}
	}
	d.sort()
	d.cut()
	return d
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

// join adds up two counts of one string and keeps the label of the lower document.
func join(a, b wire.FacetString) wire.FacetString {
	count := a.Count + b.Count
	if b.Labelled && (!a.Labelled || b.First < a.First) {
		a = b
	}
	a.Count = count
	return a
}

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
		slices.SortFunc(d.strings, func(a, b wire.FacetString) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(b.Form, a.Form))
		})
		return
	}
	slices.SortFunc(d.strings, func(a, b wire.FacetString) int { return strings.Compare(a.Form, b.Form) })
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
	for _, s := range d.strings {
		for _, shard := range d.holders[s.Form] {
			if missing == nil {
				missing = map[int][]string{}
			}
			missing[shard] = append(missing[shard], s.Form)
		}
	}
	return missing
}

// Label adds a shard's answer about a form.
func (d *Distribution) Label(form string, l wire.FacetLabel) {
	if !l.Found {
		return
	}
	for i := range d.strings {
		if s := &d.strings[i]; s.Form == form && (!s.Labelled || l.First < s.First) {
			s.Labelled, s.First, s.Label = true, l.First, l.Text
		}
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
