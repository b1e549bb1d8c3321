package filter

import "shoal/api/settings"

// Faceting tells which fields take part in the facet tables: those that settings
// filter, sort and rank by and make distinct (spec ranking 2). Immutable.
type Faceting struct {
	filterable *Filterable
	ordered    *Names // attributes that are sorted or ranked by
	distinct   *string
}

// NewFaceting compiles what settings say. They must not change afterwards.
func NewFaceting(s *settings.Settings) *Faceting {
	ordered := s.Sortable[:len(s.Sortable):len(s.Sortable)]
	for _, rule := range s.RankingRules {
		if name, _, ok := RankingField(rule); ok {
			ordered = append(ordered, name)
		}
	}
	return &Faceting{filterable: NewFilterable(s), ordered: NewNames(ordered), distinct: s.DistinctAttribute}
}

// Match is PatternWhole when the values of a field are indexed, PatternParent when
// only something below it may be.
func (f *Faceting) Match(field string) PatternMatch {
	if rule, _ := f.filterable.Rule(field); rule != nil && used(rule) {
		return PatternWhole
	}
	best := f.ordered.Match(field)
	if f.distinct != nil {
		best = max(best, matchDistinct(*f.distinct, field))
	}
	if best == PatternNone && f.filterable.Reaches(field) {
		return PatternParent
	}
	return best
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
