package facets

import (
	"cmp"
	"container/heap"
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
	labels  []wire.FacetLabel // parallel to values
}

// MergeSearch adds up the answers of the shards.
func MergeSearch(replies []*wire.FacetSearchReply, byCount bool, limit int) *Found {
	lists := make([][]wire.FacetFound, len(replies))
	for i, r := range replies {
		lists[i] = r.Values
	}
	f := &Found{byCount: byCount, limit: limit}
	f.values = merged(lists, func(a, b *wire.FacetFound) int {
		return cmp.Or(strings.Compare(a.Search, b.Search), strings.Compare(a.Form, b.Form))
	}, func(to, from *wire.FacetFound) { to.Count += from.Count })
	f.cut()
	f.labels = make([]wire.FacetLabel, len(f.values))
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
	var shown []wire.FacetFound
	for _, v := range f.values {
		if v.Count >= least {
			shown = append(shown, v)
		}
	}
	f.values = shown
}

// Forms returns the values whose labels are needed.
func (f *Found) Forms() []string {
	forms := make([]string, len(f.values))
	for i, v := range f.values {
		forms[i] = v.Form
	}
	return forms
}

// Label adds one shard's answer about the i-th of Forms.
func (f *Found) Label(i int, l wire.FacetLabel) {
	if l.Found && (!f.labels[i].Found || l.First < f.labels[i].First) {
		f.labels[i] = l
	}
}

// Values returns the final list (spec ranking 7.3): in search order, or by descending count and
// then label. Ordered by count, a bounded list takes the values in search order. Once it is
// full, a value replaces the worst one (lowest count, then smallest label) unless it counts
// less.
func (f *Found) Values() []api.FacetValue {
	var list worstFirst
	for i, v := range f.values {
		value := api.FacetValue{Value: v.Form, Count: v.Count}
		if l := &f.labels[i]; l.Found {
			value.Value = l.Text
		}
		if !f.byCount || len(list) < f.limit {
			list = append(list, value)
			continue
		}
		if i == f.limit {
			heap.Init(&list)
		}
		if list[0].Count <= value.Count {
			list[0] = value
			heap.Fix(&list, 0)
		}
	}
	if f.byCount {
		slices.SortFunc(list, func(a, b api.FacetValue) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(b.Value, a.Value))
		})
	}
	return list
}

// worstFirst is a heap of values.
type worstFirst []api.FacetValue

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return better(h[j], h[i]) }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h worstFirst) Push(any)           { panic("a full list does not grow") }
func (h worstFirst) Pop() any           { panic("a full list does not shrink") }

// better tells whether a counts more than b, or as much with a greater label.
func better(a, b api.FacetValue) bool {
	if a.Count != b.Count {
		return a.Count > b.Count
	}
	return a.Value > b.Value
}
