package rule

import (
	"testing"

	"shoal/api/settings"
	"shoal/query"
)

// No other test notices a missing row.
func TestEveryRuleHasItsRow(t *testing.T) {
	graph := query.FromPaths([][]query.Ref{{{Term: 0, Sub: query.Full}}})
	costs := &CostContext{Terms: []query.Term{{Text: "a"}}, MaxWeight: 1, Removal: nil}
	labels := map[string]Kind{}
	for k := Words; k < Kinds; k++ {
		r := k.row()
		if k.Ranked() != (len(r.of) > 0) {
			t.Errorf("rule %d: ranked %v, named %q", k, k.Ranked(), r.of)
		}
		if other, ok := labels[r.label]; ok && r.label != "" {
			t.Errorf("rules %d and %d are both shown as %q", other, k, r.label)
		}
		labels[r.label] = k
		if k.OnGraph() != (r.edge != nil) {
			t.Errorf("rule %d: on the graph %v, costs edges %v", k, k.OnGraph(), r.edge != nil)
		}
		if k.Ranked() && costs.MaxRank(k, graph) == 0 {
			t.Errorf("rule %d has no rank", k)
		}
	}
}

// During the upgrade of a cluster a node is asked about rules that it does not know.
func TestRulesOfANewerProgramCostNothing(t *testing.T) {
	graph := query.FromPaths([][]query.Ref{{{Term: 0, Sub: query.Full}}})
	costs := &CostContext{Terms: []query.Term{{Text: "a"}}}
	for _, k := range []Kind{0, Kinds, 255} {
		if got := costs.MaxRank(k, graph); got != 1 {
			t.Errorf("rule %d: rank %d", k, got)
		}
		if costs.Combine([]Rule{{Kind: k}}, graph) || k.Label() != "" || NextGraph(k, graph, costs.Terms, []Path{{Step(2, 0)}}) != graph {
			t.Errorf("rule %d does something", k)
		}
	}
}

// Consecutive rules are ranked together while each needs the graph unchanged.
func TestCombinedRules(t *testing.T) {
	graph := query.FromPaths([][]query.Ref{{{Term: 0, Sub: query.Full}, {Term: 1, Sub: query.Full}}})
	costs := &CostContext{Terms: []query.Term{{Text: "a", Budget: 2}, {Text: "b", First: 1, Last: 1}}, MaxWeight: 3}
	list := func(kinds ...Kind) (rules []Rule) {
		for _, k := range kinds {
			rules = append(rules, Rule{Kind: k})
		}
		return rules
	}
	for _, c := range []struct {
		rules []Rule
		want  bool
	}{
		{list(Proximity, AttributeRank, Sort, WordPosition, ExactAttribute, ExactWords), true},
		{list(ExactAttribute, ExactWords, Sort), true},
		{list(ExactWords, Proximity), false},
		{list(ExactWords, ExactAttribute), false},
		{list(Words, Proximity), false},
		{list(Typo), false},
		{list(Proximity, Geo), false},
		{list(Proximity, Vector), false},
		{list(Sort, Sort), true},
		{list(Sort, Sort, Sort), false},                                                     // 72 bits
		{list(Sort, Sort, WordPosition, WordPosition, AttributeRank, AttributeRank), true},  // 48 + 10 + 6 = 64 bits
		{list(Sort, Sort, WordPosition, WordPosition, WordPosition, ExactAttribute), false}, // 48 + 15 + 2 = 65 bits
	} {
		if got := costs.Combine(c.rules, graph); got != c.want {
			t.Errorf("%v: %v", c.rules, got)
		}
	}
}

// A name that repeats an earlier rule, wholly or in part, adds nothing.
func TestRulesThatSayTheSame(t *testing.T) {
	s := settings.Default()
	for _, c := range []struct {
		names []string
		want  []Kind
	}{
		{[]string{"attribute", "attributeRank", "wordPosition"}, []Kind{Words, AttributeRank, WordPosition}},
		{[]string{"wordPosition", "attribute", "attributeRank"}, []Kind{Words, WordPosition, AttributeRank}},
		{[]string{"exactness", "typo", "exactness", "typo"}, []Kind{Words, ExactAttribute, ExactWords, Typo}},
		{[]string{"sort", "words", "proximity"}, []Kind{Words, Proximity}},
	} {
		s.RankingRules = c.names
		var got []Kind
		for _, r := range NewRules(s, Keyword, Last, nil, Rule{}) {
			got = append(got, r.Kind)
		}
		if len(got) != len(c.want) {
			t.Errorf("%q: %v, want %v", c.names, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q: %v, want %v", c.names, got, c.want)
				break
			}
		}
	}
}
