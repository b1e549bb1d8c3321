package filter

import (
	"math/rand/v2"
	"strings"
	"testing"

	"shoal/api/settings"
)

// name makes one of few names, so that many lie below each other.
func name(r *rand.Rand) string {
	parts := make([]string, 1+r.IntN(3))
	for i := range parts {
		parts[i] = []string{"a", "b", "ab", ""}[r.IntN(4)]
	}
	return strings.Join(parts, ".")
}

func names(r *rand.Rand, most int) []string {
	list := make([]string, r.IntN(most+1))
	for i := range list {
		list[i] = name(r)
	}
	return list
}

// TestNamesAgainstTwin compares every look with one through the whole list.
func TestNamesAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 3000 {
		list, field := names(r, 5), name(r)
		place, best := -1, PatternNone
		for i, n := range list {
			m := MatchName(n, field)
			if m == PatternWhole && place < 0 {
				place = i
			}
			best = max(best, m)
		}
		n := NewNames(list)
		if i, ok := n.Covering(field); ok != (place >= 0) || ok && i != place {
			t.Fatalf("%q in %q: %d %v, want %d", field, list, i, ok, place)
		}
		if n.Match(field) != best {
			t.Fatalf("%q in %q: %d, want %d", field, list, n.Match(field), best)
		}
	}
}

// TestFacetingAgainstTwin compares compiled settings with the rules taken one by one.
func TestFacetingAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 5000 {
		s := settings.Default()
		for range r.IntN(4) {
			rule := settings.FilterableRule{Patterns: []string{name(r)}, FacetSearch: true, Equality: true, Comparison: true, Plain: true}
			if r.IntN(2) == 0 {
				rule = settings.FilterableRule{FacetSearch: r.IntN(3) == 0, Equality: r.IntN(3) == 0}
				for range 1 + r.IntN(2) {
					rule.Patterns = append(rule.Patterns, []string{"", "*"}[r.IntN(2)]+name(r)+[]string{"", "*"}[r.IntN(2)])
				}
			}
			s.Filterable = append(s.Filterable, rule)
		}
		s.Sortable = names(r, 2)
		for _, n := range names(r, 1) {
			s.RankingRules = append(s.RankingRules, n+":asc")
		}
		if r.IntN(3) == 0 {
			n := name(r)
			s.DistinctAttribute = &n
		}
		field := name(r)
		if got, want := NewFaceting(s).Match(field), slowFaceting(s, field); got != want {
			t.Fatalf("%q: got %d, want %d\n%+v", field, got, want, s)
		}
	}
}

func slowFaceting(s *settings.Settings, field string) PatternMatch {
	best, decided := PatternNone, false
	for i := range s.Filterable {
		rule := &s.Filterable[i]
		used := rule.FacetSearch || Filters(rule)
		m := MatchRule(rule, field)
		if m == PatternWhole && !decided {
			decided = true
			if used {
				return PatternWhole
			}
		}
		if m == PatternParent && used {
			best = PatternParent
		}
	}
	if s.DistinctAttribute != nil {
		best = max(best, matchDistinct(*s.DistinctAttribute, field))
	}
	for _, n := range s.Sortable {
		best = max(best, MatchName(n, field))
	}
	for _, rule := range s.RankingRules {
		if n, _, ok := RankingField(rule); ok {
			best = max(best, MatchName(n, field))
		}
	}
	return best
}
