package facets

import (
	"cmp"
	"slices"
	"strings"

	"shoal/api"
	"shoal/wire"
)

// Found are the values of a facet search over all shards. Their labels are those of the lowest
// document of the whole index, whatever the candidates, so every shard is asked for them: call
// Forms, then Label for each answer, then Values.
type Found struct {
	byCount bool
	limit   int
	values  []wire.FacetFound
	labels  map[string]wire.FacetLabel
}

// MergeSearch adds up the answers of the shards.
func MergeSearch(replies []*wire.FacetSearchReply, byCount bool, limit int) *Found {
	f := &Found{byCount: byCount, limit: limit, labels: map[string]wire.FacetLabel{}}
	places := map[string]int{}
	for _, r := range replies {
		for _, v := range r.Values {
			if at, ok := places[v.Form]; ok {
				f.values[at].Count += v.Count
				continue
			}
			places[v.Form] = len(f.values)
			f.values = append(f.values, v)
		}
	}
	slices.SortFunc(f.values, func(a, b wire.FacetFound) int {
		return cmp.Or(strings.Compare(a.Search, b.Search), strings.Compare(a.Form, b.Form))
	})
	f.cut()
	return f
}

// cut drops values that cannot be shown. Ordered by count, beyond the limit only values with
// the count of the last one shown matter.
func (f *Found) cut() {
	if len(f.values) <= f.limit {
		return
	}
	if !f.byCount {
		f.values = f.values[:f.limit]
		return
	}
	if f.limit == 0 {
		f.values = nil
		return
	}
	counts := make([]uint64, len(f.values))
	for i, v := range f.values {
		counts[i] = v.Count
	}
	slices.Sort(counts)
	least := counts[len(counts)-f.limit]
	f.values = slices.DeleteFunc(f.values, func(v wire.FacetFound) bool { return v.Count < least })
}

// Forms returns the values whose labels are needed.
func (f *Found) Forms() []string {
	forms := make([]string, len(f.values))
	for i, v := range f.values {
		forms[i] = v.Form
	}
	return forms
}

// Label adds one shard's answer about a form.
func (f *Found) Label(form string, l wire.FacetLabel) {
	if !l.Found {
		return
	}
	if known, ok := f.labels[form]; !ok || l.First < known.First {
		f.labels[form] = l
	}
}

// Values returns the final list (spec ranking 7.3): in search order, or by descending count and
// then label. Ordered by count, a bounded list takes the values in search order. Once it is
// full, a value replaces the worst one (lowest count, then smallest label) unless it counts
// less.
func (f *Found) Values() []api.FacetValue {
	var list []api.FacetValue
	for _, v := range f.values {
		value := api.FacetValue{Value: v.Form, Count: v.Count}
		if l, ok := f.labels[v.Form]; ok {
			value.Value = l.Text
		}
		if !f.byCount || len(list) < f.limit {
			list = append(list, value)
			continue
		}
		worst := 0
		for i := range list {
			if better(list[worst], list[i]) {
				worst = i
			}
		}
		if list[worst].Count <= value.Count {
			list[worst] = value
		}
	}
	if f.byCount {
		slices.SortStableFunc(list, func(a, b api.FacetValue) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(b.Value, a.Value))
		})
	}
	return list
}

// better tells whether a counts more than b, or as much with a greater label.
func better(a, b api.FacetValue) bool {
	if a.Count != b.Count {
		return a.Count > b.Count
	}
	return a.Value > b.Value
}
