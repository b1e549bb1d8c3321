package merge

import (
	"cmp"
	"slices"
	"strings"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/query/filter"
)

// OrderCheck checks that all indexes order the values of a facet alike, which merging needs.
// The zero value is ready.
type OrderCheck struct{ first map[string]orderedBy }

type orderedBy struct {
	index   string
	byCount bool
}

var orderNames = map[bool]string{false: "alphabetically", true: "by count"}

// Add checks the fields that are requested as facets of one index, indexes in order of their
// names. The error has no prefix yet.
func (c *OrderCheck) Add(index string, fields []string, settings *settings.Settings) *apierr.Error {
	if c.first == nil {
		c.first = map[string]orderedBy{}
	}
	for _, f := range fields {
		byCount := filter.FacetByCount(settings, f)
		before, known := c.first[f]
		if !known {
			c.first[f] = orderedBy{index, byCount}
			continue
		}
		if before.byCount != byCount {
			return apierr.New(apierr.CodeInvalidMultiSearchFacetOrder, "Inconsistent order for values in facet `"+f+"`: index `"+before.index+
				"` orders "+orderNames[before.byCount]+", but index `"+index+"` orders "+orderNames[byCount]+
				".\n - Hint: Remove `federation.mergeFacets` or change `faceting.sortFacetValuesBy` to be consistent in settings.")
		}
	}
	return nil
}

// ByCount tells whether a facet is ordered by count. A facet that no index was asked for is
// ordered alphabetically.
func (c *OrderCheck) ByCount(field string) bool { return c.first[field].byCount }

// MergeFacets adds up the facets of several indexes: counts of equal displayed values, and
// bounds of numbers. Each facet is sorted, and cut at limit if there is one. Values with equal
// counts stay in the order in which results have them first, as in the reference.
func MergeFacets(results []api.FacetsResult, byCount func(field string) bool, limit *uint64) *api.Facets {
	values := map[string]*sums{}
	bounds := map[string]api.FacetStat{}
	for i := range results {
		for _, d := range results[i].Facets.Distribution {
			all := values[d.Field]
			if all == nil {
				all = &sums{list: []api.FacetValue{}, at: map[string]int{}}
				values[d.Field] = all
			}
			for _, v := range d.Values {
				all.add(v)
			}
		}
		for _, s := range results[i].Facets.Stats {
			if b, known := bounds[s.Field]; known {
				s.Min, s.Max = min(s.Min, b.Min), max(s.Max, b.Max)
			}
			bounds[s.Field] = s
		}
	}
	out := &api.Facets{}
	for field, all := range values {
		out.Distribution = append(out.Distribution, api.FacetCounts{Field: field, Values: all.ordered(byCount(field), limit)})
	}
	slices.SortFunc(out.Distribution, func(a, b api.FacetCounts) int { return strings.Compare(a.Field, b.Field) })
	for _, s := range bounds {
		out.Stats = append(out.Stats, s)
	}
	slices.SortFunc(out.Stats, func(a, b api.FacetStat) int { return strings.Compare(a.Field, b.Field) })
	return out
}

// sums are the values of a facet, in the order in which they came.
type sums struct {
	list []api.FacetValue
	at   map[string]int // places in list
}

func (s *sums) add(v api.FacetValue) {
	at, known := s.at[v.Value]
	if !known {
		at = len(s.list)
		s.at[v.Value] = at
		s.list = append(s.list, api.FacetValue{Value: v.Value})
	}
	s.list[at].Count += v.Count
}

func (s *sums) ordered(byCount bool, limit *uint64) []api.FacetValue {
	slices.SortStableFunc(s.list, func(a, b api.FacetValue) int {
		if byCount {
			return cmp.Compare(b.Count, a.Count)
		}
		return strings.Compare(a.Value, b.Value)
	})
	if limit != nil {
		return s.list[:min(uint64(len(s.list)), *limit)]
	}
	return s.list
}

// TakeOut subtracts a document from the counts of a facet. keys are the document's values in
// the field (filter.DistinctKeys). A value without documents is removed. Like in the reference,
// bounds of numbers do not change, and neither does the count of a value whose JSON has a
// fraction of zero (1.0).
func TakeOut(counts *api.FacetCounts, keys []string) {
	for _, key := range keys {
		kind, text := key[0], key[1:]
		at := slices.IndexFunc(counts.Values, func(v api.FacetValue) bool {
			switch kind {
			case 's':
				return filter.StoredFacetForm(v.Value) == text
			case 'f':
				return v.Value == text && strings.Contains(text, ".")
			}
			return v.Value == text
		})
		if at >= 0 && counts.Values[at].Count > 0 {
			counts.Values[at].Count--
		}
	}
	counts.Values = slices.DeleteFunc(counts.Values, func(v api.FacetValue) bool { return v.Count == 0 })
}
