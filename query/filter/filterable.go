package filter

import "shoal/api/settings"

// Filterable is the setting filterableAttributes in a form in which the rule of a
// field is found without a look at all of them. Immutable.
type Filterable struct {
	all []settings.FilterableRule
	// Attributes that are written as names allow everything; places holds the number
	// of each one's rule. patterns are the other rules.
	names    *Names
	places   []int
	patterns []int
}

// NewFilterable compiles what settings say, which must not change afterwards.
func NewFilterable(s *settings.Settings) *Filterable {
	f := &Filterable{all: s.Filterable}
	var names []string
	for i := range s.Filterable {
		if rule := &s.Filterable[i]; rule.Plain {
			names, f.places = append(names, rule.Patterns[0]), append(f.places, i)
		} else {
			f.patterns = append(f.patterns, i)
		}
	}
	f.names = NewNames(names)
	return f
}

// Rule returns the first rule that matches a field and its number, which decides
// what the field may be used for; nil without one.
func (f *Filterable) Rule(field string) (*settings.FilterableRule, int) {
	number, found := f.names.Covering(field)
	if found {
		number = f.places[number]
	}
	for _, i := range f.patterns {
		if found && i > number {
			break
		}
		if MatchRule(&f.all[i], field) == PatternWhole {
			number, found = i, true
			break
		}
	}
	if !found {
		return nil, 0
	}
	return &f.all[number], number
}

// firstNames tells whether a rule that is a name, with no pattern before it, covers a
// field: no other can be the first that has to do with it but one that allows as much.
func (f *Filterable) firstNames(field string) bool {
	i, ok := f.names.Covering(field)
	return ok && (len(f.patterns) == 0 || f.places[i] < f.patterns[0])
}

// Reaches tells whether a rule that allows something names what lies below a field.
func (f *Filterable) Reaches(field string) bool {
	if f.names.Reaches(field) {
		return true
	}
	for _, i := range f.patterns {
		if rule := &f.all[i]; used(rule) && MatchRule(rule, field) == PatternParent {
			return true
		}
	}
	return false
}

// used tells whether a rule allows something.
func used(rule *settings.FilterableRule) bool { return rule.FacetSearch || Filters(rule) }

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
