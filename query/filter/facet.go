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
		covers, covered := relate(rule, entry)
		if Filters(rule) && (covers || covered) {
			return nil
		}
		if !Filters(rule) && covers {
			return apierr.FacetRuleNotFiltering(entry, i)
		}
	}
	return apierr.FacetNotFilterable(entry, FilterablePatterns(s))
}

// relate tells whether a rule covers everything that an entry names, or an entry
// everything that some pattern of the rule names.
func relate(rule *settings.FilterableRule, entry string) (covers, covered bool) {
	for _, p := range rule.Patterns {
		covers = covers || includes(p, entry) || rule.Plain && Below(entry, p)
		covered = covered || includes(entry, p)
	}
	return covers, covered
}

// includes tells whether every name that inner matches is matched by outer.
func includes(outer, inner string) bool {
	kind, word := patternParts(outer)
	innerKind, innerWord := patternParts(inner)
	switch kind {
	case 0:
		return innerKind == 0 && word == innerWord
	case startsWith:
		return strings.HasPrefix(innerWord, word) && innerKind&endsWith == 0 || word == ""
	case endsWith:
		return strings.HasSuffix(innerWord, word) && innerKind&startsWith == 0 || word == ""
	}
	return strings.Contains(innerWord, word)
}

// A pattern is open at its end (`x*`: startsWith), at its start (`*x`: endsWith),
// at both, or at none.
const (
	startsWith = 1 << iota
	endsWith
)

func patternParts(p string) (kind int, word string) {
	if p == "*" {
		return startsWith | endsWith, ""
	}
	if strings.HasPrefix(p, "*") {
		kind, p = kind|endsWith, p[1:]
	}
	if strings.HasSuffix(p, "*") {
		kind, p = kind|startsWith, p[:len(p)-1]
	}
	return kind, p
}

// SelectFacets lists the known fields whose distribution the entries ask for,
// sorted: filterable fields that an entry matches and filterable fields below
// such a field.
func SelectFacets(entries []string, s *settings.Settings, fields []string) []string {
	if len(entries) == 0 {
		return nil
	}
	sorted := slices.Clone(fields)
	sort.Strings(sorted)
	selected := map[string]bool{}
	var list []string
	filterable, wanted := NewFilterable(s), newEntries(entries)
	for _, f := range sorted {
		if rule, _ := filterable.Rule(f); !Filters(rule) {
			continue
		}
		if wanted.match(f) || belowAny(selected, f) {
			selected[f] = true
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
		if kind, _ := patternParts(p); kind == 0 {
			e.names[p] = struct{}{}
		} else {
			e.patterns = append(e.patterns, p)
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

// FacetByCount tells whether the values of a field are ordered by count.
func FacetByCount(s *settings.Settings, field string) bool {
	order, ok := s.SortFacetValuesBy[field]
	if !ok {
		order = s.SortFacetValuesBy["*"]
	}
	return order == "count"
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
