package facets

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/api"
	"shoal/wire"
)

// randomParts returns the strings of some shards, by form, and their sums.
func randomParts(r *rand.Rand) (parts []wire.FacetPart, sums map[string]uint64) {
	parts, sums = make([]wire.FacetPart, 1+r.IntN(4)), map[string]uint64{}
	for i := range parts {
		for n := range 30 {
			if form := fmt.Sprintf("%02d", n); r.IntN(2) == 0 {
				count := 1 + r.Uint64N(3)
				parts[i].Strings = append(parts[i].Strings, wire.FacetString{Form: form, Count: count})
				sums[form] += count
			}
		}
	}
	return parts, sums
}

func TestPartsAddUpToTheFirstValuesOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		parts, sums := randomParts(r)
		var want []api.FacetValue
		for form, count := range sums {
			want = append(want, api.FacetValue{Value: form, Count: count})
		}
		slices.SortFunc(want, func(a, b api.FacetValue) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(b.Value, a.Value))
		})
		limit := 1 + r.IntN(35)
		want = want[:min(limit, len(want))]
		d := Merge(parts, wire.FacetCount, limit)
		for shard, forms := range d.Missing() {
			for _, form := range forms {
				d.Label(form, wire.FacetLabel{Found: true, First: uint32(10 - shard), Text: fmt.Sprint(form, " of ", shard)})
			}
		}
		for i := range want {
			for shard := range parts { // the last one has the lowest documents
				if slices.ContainsFunc(parts[shard].Strings, func(s wire.FacetString) bool { return s.Form == want[i].Value[:2] }) {
					want[i].Value = fmt.Sprint(want[i].Value[:2], " of ", shard)
				}
			}
		}
		if got := d.Values(); !slices.Equal(got, want) {
			t.Fatalf("the first %d of %v:\n%v, want\n%v", limit, parts, got, want)
		}
	}
}

// The list of a facet search takes values one by one and replaces its worst one.
func TestAFullListReplacesItsWorstValue(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 300 {
		parts, _ := randomParts(r)
		replies := make([]*wire.FacetSearchReply, len(parts))
		for i := range parts {
			replies[i] = &wire.FacetSearchReply{}
			for _, s := range parts[i].Strings {
				replies[i].Values = append(replies[i].Values, wire.FacetFound{Search: s.Form, Form: s.Form, Count: s.Count})
			}
		}
		limit := 1 + r.IntN(35)
		f := MergeSearch(replies, true, limit)
		var want []api.FacetValue
		for i, v := range f.values {
			value := api.FacetValue{Value: fmt.Sprint(r.IntN(9), v.Form), Count: v.Count}
			f.Label(i, wire.FacetLabel{Found: true, First: 2, Text: "a higher document"})
			f.Label(i, wire.FacetLabel{Found: true, First: 1, Text: value.Value})
			if len(want) < limit {
				want = append(want, value)
				continue
			}
			worst := 0
			for k := range want {
				if better(want[worst], want[k]) {
					worst = k
				}
			}
			want[worst] = value
		}
		slices.SortFunc(want, func(a, b api.FacetValue) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(b.Value, a.Value))
		})
		if got := f.Values(); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
