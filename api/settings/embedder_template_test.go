package settings

import (
	"testing"

	"shoal/api/jsonvalue"
)

// Faults of templates were not found behind the repetition, in the order of the members, or at the
// path that the original names: inside a repeated value it leaves out the position.
func TestFaultsOfTemplates(t *testing.T) {
	for template, fault := range map[string]string{
		`{"a":["{{text}}","{{..}}","x"],"b":1}`:                 "",
		`{"a":["{{text}}","{{..}}","{{text}}"]}`:                "",
		`{"a":["{{text}}","{{..}}","{{..}}"]}`:                  "in `r.a`: \"{{..}}\" expected at position #1, but found at position #2",
		`{"a":["{{..}}","{{..}}"]}`:                             "in `r.a`: \"{{..}}\" expected at position #1, but found at position #0",
		`{"a":["{{text}}","x","{{..}}"]}`:                       "in `r.a`: \"{{..}}\" expected at position #1, but found at position #2",
		`{"a":[["{{text}}","{{..}}"],"{{..}}"]}`:                "in `r.a`: \"{{..}}\" appears nested inside of a value that is itself repeated",
		`{"a":[{"x":"{{..}}"},"{{..}}"]}`:                       "in `r.a.x`: \"{{..}}\" appears outside of an array",
		`{"a":[{"x":["{{text}}","{{text}}"]},"{{..}}"]}`:        "in `r.a.x[1]`: Found \"{{text}}\", but it was already present in `r.a.x[0]`",
		`{"b":"{{text}}","a":["{{text}}","{{..}}"]}`:            "in `r.b`: Found \"{{text}}\", but it was already present in `r.a[0]` (repeated)",
		`{"a":[{"x":"{{text}}"},"{{..}}"],"b":"{{text}}"}`:      "in `r.b`: Found \"{{text}}\", but it was already present in `r.a[0].x` (repeated)",
		`{"a":["{{text}}","{{..}}"],"b":["{{text}}","{{..}}"]}`: "in `r.b`: Found \"{{..}}\", but it was already present in `r.a`",
		`{"a":["x","{{..}}"],"b":"{{text}}"}`:                   "in `r.a[0]`: Expected \"{{text}}\" inside of the repeated value",
		`["{{text}}",["{{text}}"]]`:                             "in `r[1][0]`: Found \"{{text}}\", but it was already present in `r[0]`",
		`{"a":1}`:                                               "in `r`: \"{{text}}\" not found",
	} {
		v, err := jsonvalue.Parse([]byte(template))
		if err != nil {
			t.Fatal(err)
		}
		if got := walkTemplate(&v, "r", "{{text}}").fault; got != fault {
			t.Errorf("%s:\n got %s\nwant %s", template, got, fault)
		}
	}
}
