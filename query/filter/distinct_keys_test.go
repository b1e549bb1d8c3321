package filter

import (
	"slices"
	"testing"

	"shoal/api/jsonvalue"
)

// TestDistinctValuesOfOtherIndexes: true is the word "true" of another index, an
// integer is not a fraction, and what is in arrays in arrays is not compared.
func TestDistinctValuesOfOtherIndexes(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want []string
	}{
		{`{"a":{"b":""}}`, []string{"s"}},
		{`{"a":{"b":["",true,["x"],{"c":1},null,2]}}`, []string{"s", "strue", "i2"}},
		{`{"a":{"b":"TRUE "}}`, []string{"strue"}},
		{`{"a":{"b":[[""],[["x"]]]}}`, nil},
		{`{"a":[{"b":"x"},{"b":["y"]},"z",[{"b":"w"}]]}`, []string{"sx", "sy"}},
		{`{"a.b":1,"a":{"b":1.0}}`, []string{"i1", "f1"}},
		{`{"a":{"b":[-0.0,0.0,-3,18446744073709551615,1e2]}}`, []string{"f0", "f0", "i-3", "i18446744073709551615", "f100"}},
		{`{"a":"x"}`, nil},
		{`{"a":null,"b":1}`, nil},
	} {
		doc, err := jsonvalue.Parse([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		if got := DistinctKeys(&doc, "a.b"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.doc, got, c.want)
		}
	}
}
