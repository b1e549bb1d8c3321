package facet

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/wire"
)

// recordLimit is the largest number of candidates whose value records are counted. It
// is a variable so that tests can reach both branches.
var recordLimit = 4096

// Count answers a FacetsStep for the candidates, live documents of the shard. columns
// caches facets that are counted often in this state of the shard; nil caches nothing.
func Count(ctx context.Context, ix Index, columns *Columns, candidates docset.Set, step *wire.FacetsStep) (*wire.FacetsReply, error) {
	ix = within(ctx, ix)
	reply := &wire.FacetsReply{Facets: make([]wire.FacetPart, len(step.Fields))}
	var records []int // fields to count from records
	for i, ask := range step.Fields {
		part, ok, err := columns.count(ctx, ix, candidates, ask, step.Max)
		if err == nil && !ok && candidates.Len() > recordLimit {
			part, ok, err = countTables(ix, candidates, ask, step.Max)
		}
		if err != nil {
			return nil, err
		}
		if ok {
			reply.Facets[i] = part
		} else {
			records = append(records, i)
		}
	}
	if len(records) == 0 || candidates.Empty() {
		return reply, nil
	}
	counted, err := countRecords(ix, candidates, step, records)
	if err != nil {
		return nil, err
	}
	for j, i := range records {
		reply.Facets[i] = counted[j].part(step.Fields[i].Order, step.Max)
	}
	return reply, nil
}

// tally counts the values of one facet from records.
type tally struct {
	fid     uint16
	numbers map[float64]uint64
	strings map[string]*wire.FacetString
}

func countRecords(ix Index, candidates docset.Set, step *wire.FacetsStep, fields []int) ([]*tally, error) {
	tallies := make([]*tally, len(fields))
	byField := make([]*tally, len(fields))
	for j, i := range fields {
		tallies[j] = &tally{fid: step.Fields[i].Field, numbers: map[float64]uint64{}, strings: map[string]*wire.FacetString{}}
		byField[j] = tallies[j]
	}
	slices.SortFunc(byField, func(a, b *tally) int { return cmp.Compare(a.fid, b.fid) })
	order := ix.Order()
	for row := range order.All(candidates) {
		v, ok, err := ix.Values(row)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		// Records list their fields ascending, like byField. A field requested twice
		// has two tallies.
		next := 0
		for f := range v.Fields() {
			for next < len(byField) && byField[next].fid < f.Field {
				next++
			}
			for k := next; k < len(byField) && byField[k].fid == f.Field; k++ {
				t := byField[k]
				for n := range f.Numbers() {
					t.numbers[n]++
				}
				for form, original := range f.Strings() {
					t.add(order.Ordinal(row), form, original)
				}
			}
			if next == len(byField) {
				break
			}
		}
	}
	return tallies, nil
}

// add counts a string. Candidates ascend, so the first spelling is that of the lowest
// document.
func (t *tally) add(ord uint32, form, original []byte) {
	if s, ok := t.strings[string(form)]; ok {
		s.Count++
		return
	}
	s := &wire.FacetString{Form: string(form), Count: 1, Labelled: true, First: ord}
	if s.Label = s.Form; string(original) != s.Form {
		s.Label = string(original)
	}
	t.strings[s.Form] = s
}

// part sorts and cuts the counts.
func (t *tally) part(order wire.FacetOrder, limit int) wire.FacetPart {
	p := wire.FacetPart{Numbers: make([]wire.FacetNumber, 0, len(t.numbers)), Strings: make([]wire.FacetString, 0, len(t.strings))}
	for v, n := range t.numbers {
		if !p.HasNumbers {
			p.HasNumbers, p.Min, p.Max = true, v, v
		}
		p.Min, p.Max = min(p.Min, v), max(p.Max, v)
		p.Numbers = append(p.Numbers, wire.FacetNumber{Value: v, Count: n})
	}
	for _, s := range t.strings {
		p.Strings = append(p.Strings, *s)
	}
	SortNumbers(p.Numbers, order)
	slices.SortFunc(p.Strings, func(a, b wire.FacetString) int { return strings.Compare(a.Form, b.Form) })
	cut(&p, order, limit)
	return p
}

// SortNumbers sorts numbers into the order of a facet.
func SortNumbers(list []wire.FacetNumber, order wire.FacetOrder) {
	switch order {
	case wire.FacetText:
		texts := make(map[float64]string, len(list))
		for _, n := range list {
			texts[n.Value] = filter.NumberText(n.Value)
		}
		slices.SortFunc(list, func(a, b wire.FacetNumber) int { return strings.Compare(texts[a.Value], texts[b.Value]) })
	default:
		slices.SortFunc(list, func(a, b wire.FacetNumber) int { return cmp.Compare(a.Value, b.Value) })
	}
}

// cut drops values that cannot be among the first limit over all shards. Ordered by
// count, nothing can be dropped, because another shard may add to any value. In value
// order, strings are limited only if there are no numbers; otherwise they are unlimited
// (spec ranking 7.1).
func cut(p *wire.FacetPart, order wire.FacetOrder, limit int) {
	if order == wire.FacetCount || order == wire.FacetValue && limit == 0 {
		return
	}
	unlimited := order == wire.FacetValue && p.HasNumbers
	if len(p.Numbers) > limit {
		p.Numbers = p.Numbers[:limit]
	}
	if len(p.Strings) > limit && !unlimited {
		p.Strings = p.Strings[:limit]
	}
}
