package wire

import (
	"bytes"
	"fmt"
	"testing"

	"shoal/query"
	"shoal/query/rule"
)

// Older nodes must make the same keys. Otherwise all work done ahead is lost during an upgrade.
func TestSearchKeysAreStable(t *testing.T) {
	graph := query.NewGraph(terms())
	start := &StartRule{Rule: rule.Rule{Kind: rule.Typo}, Graph: graph, Hi: 1, Touched: 5}
	for _, c := range []struct {
		step *SearchStep
		want string
	}{
		{&SearchStep{Begin: &BeginStep{Terms: terms(), Reduced: graph}}, "d30345500560e91b5eedea69de23ae5b 0"},
		{&SearchStep{Buckets: &BucketsStep{Level: 1, Start: start, Want: 20}}, "699b8da636ccf00f4fff013db2cdbbeb 20"},
		{&SearchStep{Buckets: &BucketsStep{Level: 1, Want: 3}}, "178b92109148ed6978fdd0c6d15df8d3 3"},
		{&SearchStep{Top: &TopStep{Level: 1, Hi: 1, Rules: []rule.Rule{{Kind: 3}, {Kind: 4}}, Graph: graph, Want: 9, Micros: 70}}, "7d791dae3aa1887b1e705b9fd8d5cb2b 9"},
		{&SearchStep{Take: &TakeStep{Level: 1, Lo: 2, Hi: 3, Limit: 4}}, "bb4759096be04cfa73a89bed32bee03a 4"},
		{&SearchStep{Facets: &FacetsStep{}}, "5f75adc157b6b41791755a69d72a3ca8 0"},
	} {
		before, err := Marshal(c.step)
		if err != nil {
			t.Fatal(err)
		}
		key, want, err := c.step.Key()
		if got := fmt.Sprintf("%x %d", key, want); err != nil || got != c.want {
			t.Errorf("%s is named %s, %v, not %s", c.step.Kind(), got, err, c.want)
		}
		if after, err := Marshal(c.step); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s has changed, %v", c.step.Kind(), err)
		}
	}
}
