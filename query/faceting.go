package query

import "shoal/api"

// Faceting tells which fields take part in the facet tables: those that settings
// filter, sort and rank by and make distinct (spec ranking 2). Immutable.
type Faceting struct {
	// Filterable attributes that are written as names allow everything; rules holds
	// the place of each among the rules. patterns are the other rules.
	plain    *Names
	rules    []int
	patterns []patternRule
	ordered  *Names // attributes that are sorted or ranked by
	distinct *string
}

// patternRule is a rule of filterableAttributes with patterns, and its place.
type patternRule struct {
	place int
	rule  *api.FilterableRule
	used  bool // it allows something
}

// NewFaceting compiles what settings say. They must not change afterwards.
func NewFaceting(s *api.Settings) *Faceting {
	f := &Faceting{distinct: s.DistinctAttribute}
	var plain []string
	for i := range s.Filterable {
		rule := &s.Filterable[i]
		if rule.Plain {
			plain, f.rules = append(plain, rule.Patterns[0]), append(f.rules, i)
			continue
		}
		f.patterns = append(f.patterns, patternRule{i, rule, rule.FacetSearch || Filters(rule)})
	}
	ordered := s.Sortable[:len(s.Sortable):len(s.Sortable)]
	for _, rule := range s.RankingRules {
		if name, _, ok := RankingField(rule); ok {
			ordered = append(ordered, name)
		}
	}
	f.plain, f.ordered = NewNames(plain), NewNames(ordered)
	return f
}

// Match is PatternWhole when the values of a field are indexed, PatternParent when
// only something below it may be.
func (f *Faceting) Match(field string) PatternMatch {
	best := PatternNone
	if f.plain.Reaches(field) {
		best = PatternParent
	}
	// The first rule that matches a field decides alone.
	place, used := len(f.rules)+len(f.patterns), false
	if i, ok := f.plain.Covering(field); ok {
		place, used = f.rules[i], true
	}
	for _, p := range f.patterns {
		switch MatchRule(p.rule, field) {
		case PatternWhole:
			if p.place < place {
				place, used = p.place, p.used
			}
		case PatternParent:
			if p.used {
				best = PatternParent
			}
		}
	}
	if used {
		return PatternWhole
	}
	if f.distinct != nil {
		best = max(best, matchDistinct(*f.distinct, field))
	}
	return max(best, f.ordered.Match(field))
}

// matchDistinct matches a field against the distinct attribute, which is one field.
func matchDistinct(attribute, field string) PatternMatch {
	switch {
	case field == attribute:
		return PatternWhole
	case Below(attribute, field):
		return PatternParent
	}
	return PatternNone
}
