package rules

import (
	"errors"
	"testing"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// No other test finds what a row lacks.
func TestEveryRuleHasItsRow(t *testing.T) {
	for k := rule.Words; k < rule.Kinds; k++ {
		r := rowOf(k)
		if r.open == nil {
			t.Errorf("rule %d opens nothing", k)
		}
		if k.OnGraph() != (r.edges != nil) {
			t.Errorf("rule %d: on the graph %v, edges of paths %v", k, k.OnGraph(), r.edges != nil)
		}
	}
}

// A step with a rule of a newer program is an error, not a crash.
func TestRulesOfANewerProgramAreRefused(t *testing.T) {
	s := &scope.Scope{Terms: []query.Term{{Text: "a"}}}
	for _, k := range []rule.Kind{0, rule.Kinds, 255} {
		l := &scope.Level{Start: wire.StartRule{Rule: rule.Rule{Kind: k}, Graph: query.NewGraph(s.Terms)}}
		if _, err := Open(t.Context(), s, l); !errors.Is(err, scope.ErrOrder) {
			t.Errorf("rule %d: %v", k, err)
		}
	}
}
