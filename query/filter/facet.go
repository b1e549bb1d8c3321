package filter

import (
	"slices"
	"sort"
	"strings"

	"shoal/api/apierr"
	"shoal/api/settings"
)

// CheckFacets validates the entries of `facets` in order (spec search-api 9.1):
// the first rule related to an entry decides.
func CheckFacets(entries []string, s *settings.Settings) *apierr.Error {
	f := NewFilterable(s)
	for _, e := range entries {
		if f.firstNames(e) {
			continue
		}
		if err := checkFacet(e, s); err != nil {
			return err
		}
	}
	return nil
}

func checkFacet(entry string, s *settings.Settings) *apierr.Error {
	for i := range s.Filterable {
		rule := &s.Filterable[i]
		switch {
		case Filters(rule):
			if related(rule, entry) {
				return nil
			}
		case MatchRule(rule, entry) == PatternWhole:
			return apierr.FacetRuleNotFiltering(entry, i)
		}
	}
	return apierr.FacetNotFilterable(entry, FilterablePatterns(s))
}

// related tells whether an entry, read as a pattern, has to do with a rule: one of the
// two matches the other, or is an ancestor of it. A name with `*` in it is no pattern.
func related(rule *settings.FilterableRule, entry string) bool {
	if rule.Plain {
		name := rule.Patterns[0]
		return MatchName(entry, name) != PatternNone || MatchPattern(entry, name) != PatternNone
	}
	return slices.ContainsFunc(rule.Patterns, func(p string) bool {
		return MatchPattern(entry, p) != PatternNone || MatchPattern(p, entry) != PatternNone
	})
}

// SelectedFacet is a field whose distribution is asked for.
type SelectedFacet struct {
	Field string
	// ByCount: its values are ordered by count.
	ByCount bool
}

// SelectFacets lists the known fields whose distribution the entries ask for,
// sorted: filterable fields that an entry matches and filterable fields below
// such a field. The latter are ordered as the settings order `*`, whatever these say of the
// field itself.
func SelectFacets(entries []string, s *settings.Settings, fields []string) []SelectedFacet {
	if len(entries) == 0 {
		return nil
	}
	sorted := slices.Clone(fields)
	sort.Strings(sorted)
	selected := map[string]bool{}
	var list []SelectedFacet
	filterable, wanted := NewFilterable(s), newEntries(entries)
	for _, f := range sorted {
		if rule, _ := filterable.Rule(f); !Filters(rule) {
			continue
		}
		if Below(f, "_vectors") {
			continue
		}
		switch {
		case wanted.match(f):
			list = append(list, SelectedFacet{f, FacetByCount(s, f)})
		case belowAny(selected, f):
			list = append(list, SelectedFacet{f, FacetByCount(s, "*")})
		default:
			continue
		}
		selected[f] = true
	}
	return list
}

// NamedFacets lists the known filterable fields that an entry matches, in the order of the
// fields. Fields below them are not in it.
func NamedFacets(entries []string, s *settings.Settings, fields []string) []string {
	filterable, wanted := NewFilterable(s), newEntries(entries)
	var list []string
	for _, f := range fields {
		if rule, _ := filterable.Rule(f); wanted.match(f) && Filters(rule) && !Below(f, "_vectors") {
			list = append(list, f)
		}
	}
	return list
}

// entries are those of a list of facets: names, and patterns.
type entries struct {
	names    map[string]struct{}
	patterns []string
}

func newEntries(list []string) *entries {
	e := &entries{names: make(map[string]struct{}, len(list))}
	for _, p := range list {
		if strings.HasPrefix(p, "*") || strings.HasSuffix(p, "*") {
			e.patterns = append(e.patterns, p)
		} else {
			e.names[p] = struct{}{}
		}
	}
	return e
}

// match tells whether an entry is the field or a pattern that matches it.
func (e *entries) match(field string) bool {
	if _, ok := e.names[field]; ok {
		return true
	}
	return slices.ContainsFunc(e.patterns, func(p string) bool { return MatchPattern(p, field) == PatternWhole })
}

// belowAny tells whether an ancestor of a field is selected.
func belowAny(selected map[string]bool, field string) bool {
	for i := range len(field) {
		if field[i] == '.' && selected[field[:i]] {
			return true
		}
	}
	return false
}

// FacetByCount tells whether the values of a field are ordered by count. A sampledCount
// (1.56) may be approximate; here it is the count.
func FacetByCount(s *settings.Settings, field string) bool {
	order, ok := s.SortFacetValuesBy[field]
	if !ok {
		order = s.SortFacetValuesBy["*"]
	}
	return order == "count" || order == "sampledCount"
}

// CheckDistinct refuses a request's distinct attribute that cannot be filtered
// by (spec search-api 9.3). The caller adds the prefix of the index.
func CheckDistinct(field string, s *settings.Settings) *apierr.Error {
	rule, number := NewFilterable(s).Rule(field)
	switch {
	case Filters(rule):
		return nil
	case rule != nil:
		return apierr.DistinctRuleNotFiltering(field, number)
	}
	shown, hidden := MaskHidden(FilterablePatterns(s), s.DisplayedAttributes)
	return apierr.DistinctNotFilterable(field, shown, hidden)
}

// CheckFacetSearch refuses a facet that cannot be searched (spec search-api 10).
func CheckFacetSearch(facet string, s *settings.Settings) *apierr.Error {
	rule, number := NewFilterable(s).Rule(facet)
	switch {
	case rule != nil && rule.FacetSearch:
		return nil
	case rule != nil:
		return apierr.FacetRuleNotSearchable(facet, number)
	}
	patterns := rulePatterns(s, func(r *settings.FilterableRule) bool { return r.FacetSearch })
	shown, hidden := MaskHidden(patterns, s.DisplayedAttributes)
	return apierr.FacetNotSearchable(facet, shown, hidden)
}
