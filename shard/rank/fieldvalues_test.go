package rank

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestDistinctValuesInNestedArrays: of arrays in arrays no values are compared.
func TestDistinctValuesInNestedArrays(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want []string
	}{
		{`{"a":{"b":""}}`, []string{"s"}},
		{`{"a":{"b":["",true,["x"],{"c":1},null,2]}}`, []string{"btrue", "n2", "s"}},
		{`{"a":{"b":[[""],[["x"]]]}}`, nil},
		{`{"a":[{"b":"x"},{"b":["y"]},"z",[{"b":"w"}]]}`, []string{"sx", "sy"}},
		{`{"a.b":1,"a":{"b":2}}`, []string{"n1", "n2"}},
		{`{"a":"x"}`, nil},
	} {
		var doc any
		dec := json.NewDecoder(strings.NewReader(c.doc))
		dec.UseNumber()
		if err := dec.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		var got []string
		valuesAt(doc, "a.b", func(v any) {
			if key, ok := valueKey(v); ok {
				got = append(got, key)
			}
		})
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.doc, got, c.want)
		}
	}
}
