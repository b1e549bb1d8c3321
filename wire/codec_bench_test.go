package wire

import (
	"testing"

	"shoal/query"
)

// BenchmarkMarshal is a step of a search with two words, and back.
func BenchmarkMarshal(b *testing.B) {
	terms := []query.Term{
		{Text: "python", Budget: 1, Known: true, One: []string{"jython", "pythons"}}, {Text: "libr", Prefix: true, Cached: true, First: 1, Last: 1}}
	graph := query.NewGraph(terms)
	step := &SearchStep{Begin: &BeginStep{Terms: terms, Reduced: graph, Ahead: &PrefetchPlan{Length: 20, Enough: 20, Millis: 1500}}}
	b.ReportAllocs()
	for b.Loop() {
		raw, err := Marshal(step)
		if err != nil {
			b.Fatal(err)
		}
		if err := Unmarshal(raw, new(SearchStep)); err != nil {
			b.Fatal(err)
		}
	}
}
