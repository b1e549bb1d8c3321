package indexes

import (
	"net/http"
	"slices"
	"sort"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/settings"
	"shoal/httpfront/routing"
	"shoal/query"
	"shoal/query/filter"
)

// fieldsQuery is the body of POST /indexes/{uid}/fields (spec write-api 5.10).
type fieldsQuery struct {
	page
	filter fieldsFilter
}

// fieldsFilter selects the fields that meet every given criterion.
type fieldsFilter struct {
	patterns                                                           []string
	displayed, searchable, sortable, distinct, rankingRule, filterable *bool
}

var fieldsFilterFields = decode.NewObject(
	decode.Nullable("attributePatterns", apierr.CodeInvalidIndexFieldsFilterAttributePatterns, decode.Strings, func(f *fieldsFilter) *[]string { return &f.patterns }),
	decode.Optional("displayed", apierr.CodeInvalidIndexFieldsFilterDisplayed, decode.Bool, func(f *fieldsFilter) **bool { return &f.displayed }),
	decode.Optional("searchable", apierr.CodeInvalidIndexFieldsFilterSearchable, decode.Bool, func(f *fieldsFilter) **bool { return &f.searchable }),
	decode.Optional("sortable", apierr.CodeInvalidIndexFieldsFilterSortable, decode.Bool, func(f *fieldsFilter) **bool { return &f.sortable }),
	decode.Optional("distinct", apierr.CodeInvalidIndexFieldsFilterDistinct, decode.Bool, func(f *fieldsFilter) **bool { return &f.distinct }),
	decode.Optional("rankingRule", apierr.CodeInvalidIndexFieldsFilterRankingRule, decode.Bool, func(f *fieldsFilter) **bool { return &f.rankingRule }),
	decode.Optional("filterable", apierr.CodeInvalidIndexFieldsFilterFilterable, decode.Bool, func(f *fieldsFilter) **bool { return &f.filterable }),
)

var fieldsFields = decode.NewObject(
	decode.Plain("offset", apierr.CodeInvalidIndexOffset, decode.Uint, offsetOf(func(q *fieldsQuery) *page { return &q.page })),
	decode.Plain("limit", apierr.CodeInvalidIndexLimit, decode.Uint, limitOf(func(q *fieldsQuery) *page { return &q.page })),
	decode.Nullable("filter", apierr.CodeInvalidIndexFieldsFilter, fieldsFilterFields.Read,
		func(q *fieldsQuery) *fieldsFilter { return &q.filter }),
)

func (h *Handlers) serveFields(x *routing.Exchange) error {
	q := fieldsQuery{page: page{limit: 20}}
	if err := routing.ReadBody(x, fieldsFields, &q); err != nil {
		return err
	}
	names, settings, err := h.Indexes.IndexFields(x.Context(), x.Param(0))
	if err != nil {
		return err
	}
	sorted := slices.Clone(names)
	sort.Strings(sorted)
	var kept []api.IndexField
	of := newFieldSettings(settings)
	for _, name := range sorted {
		if f := of.describe(name); q.filter.keeps(&f) {
			kept = append(kept, f)
		}
	}
	total := uint64(len(kept))
	kept = kept[min(q.offset, total):]
	kept = kept[:min(q.limit, uint64(len(kept)))]
	each := func(dst []byte, i int) []byte { return kept[i].AppendJSON(dst) }
	return x.Respond(http.StatusOK, api.AppendPage(x.Buffer(), len(kept), each, q.offset, q.limit, total))
}

func (f *fieldsFilter) keeps(field *api.IndexField) bool {
	if f.patterns != nil && !slices.ContainsFunc(f.patterns, func(p string) bool {
		return filter.MatchPattern(p, field.Name) == filter.PatternWhole
	}) {
		return false
	}
	same := func(want *bool, have bool) bool { return want == nil || *want == have }
	return same(f.displayed, field.Displayed) && same(f.searchable, field.Searchable) && same(f.sortable, field.Sortable) &&
		same(f.distinct, field.Distinct) && same(f.rankingRule, field.RankingRule != "") && same(f.filterable, field.Filterable)
}

// fieldSettings answers what settings say about a field.
type fieldSettings struct {
	*settings.Settings
	sortable   *filter.Names
	weights    query.Weights
	filterable *filter.Filterable
	displayed  *filter.Names // nil: all
}

func newFieldSettings(s *settings.Settings) *fieldSettings {
	f := &fieldSettings{
		Settings: s, sortable: filter.NewNames(s.Sortable), weights: query.NewWeights(s), filterable: filter.NewFilterable(s),
	}
	if s.DisplayedAttributes != nil && !slices.Contains(s.DisplayedAttributes, "*") {
		f.displayed = filter.NewNames(s.DisplayedAttributes)
	}
	return f
}

// describe tells how a field is treated. Vectors have no settings; geographic places can
// only be filtered and sorted by, shapes only filtered by. Of several custom ranking rules
// for one field the last counts.
func (s *fieldSettings) describe(name string) api.IndexField {
	f := api.IndexField{Name: name, SortBy: "alpha", Displayed: s.displayed == nil || s.displayed.Covers(name)}
	if filter.Below(name, "_vectors") {
		return f
	}
	f.Sortable, f.SortBy = s.sortable.Covers(name) && !filter.Below(name, "_geojson"), s.SortFacetValuesBy["*"]
	if order, ok := s.SortFacetValuesBy[name]; ok {
		f.SortBy = order
	}
	if rule, _ := s.filterable.Rule(name); rule != nil {
		f.Filterable = filter.Filters(rule) || rule.FacetSearch
		f.FacetSearch, f.Equality, f.Comparison = rule.FacetSearch, rule.Equality, rule.Comparison
	}
	if filter.Below(name, "_geo") || filter.Below(name, "_geojson") {
		return f
	}
	f.Searchable = s.weights.Searches(name)
	f.Distinct = s.DistinctAttribute != nil && *s.DistinctAttribute == name
	for _, rule := range s.RankingRules {
		if attribute, descending, ok := settings.SplitCustomRule(rule); ok && attribute == name {
			f.RankingRule = "asc"
			if descending {
				f.RankingRule = "desc"
			}
		}
	}
	for i := range s.LocalizedAttributes {
		rule := &s.LocalizedAttributes[i]
		if slices.ContainsFunc(rule.AttributePatterns, func(p string) bool { return filter.MatchPattern(p, name) == filter.PatternWhole }) {
			f.Locales = rule.Locales
			break
		}
	}
	return f
}
