package rule

import (
	"slices"
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/query"
)

// The graph of three words with all their n-grams, and what each strategy drops.
func TestGraphAndRemoval(t *testing.T) {
	k := query.NewLexis(settings.Default(), 0).Parse("a b c ", nil)
	g := query.NewGraph(k.Terms)
	// 2 a, 3 b, 4 ab, 5 c, 6 bc, 7 abc
	want := [][]uint16{{2, 4, 7}, nil, {3, 6}, {5}, {5}, {1}, {1}, {1}}
	for i := range g.Nodes {
		if !slices.Equal(g.Nodes[i].Succ, want[i]) {
			t.Errorf("node %d: %v, want %v", i, g.Nodes[i].Succ, want[i])
		}
	}
	last := NewRemoval(g, k.Terms, Last, nil)
	if len(last.Groups) != 2 || !last.Groups[0].Has(5) || last.Groups[0].Len() != 1 || last.Groups[1].Len() != 3 || last.Removable(2) {
		t.Errorf("last: %v", last)
	}
	reduced := g.Without(last.All())
	if !slices.Equal(reduced.Nodes[2].Succ, []uint16{1}) || !slices.Equal(reduced.Nodes[4].Succ, []uint16{1}) {
		t.Errorf("reduced: %+v", reduced.Nodes)
	}
	if all := NewRemoval(g, k.Terms, All, nil); len(all.Groups) != 0 {
		t.Errorf("all: %v", all)
	}
	// c is the most frequent, then b; equal counts go together.
	frequency := NewRemoval(g, k.Terms, Frequency, []uint64{1, 5, 9})
	if len(frequency.Groups) != 2 || !frequency.Groups[0].Has(5) || !frequency.Groups[1].Has(3) {
		t.Errorf("frequency: %v", frequency)
	}
	if equal := NewRemoval(g, k.Terms, Frequency, []uint64{4, 4, 4}); len(equal.Groups) != 0 {
		t.Errorf("equal: %v", equal)
	}
}

// Terms are dropped one after the other. Each knows the terms that are dropped before it.
// The first one, and terms that are never dropped, know none.
func TestWhatIsDroppedBefore(t *testing.T) {
	k := query.NewLexis(settings.Default(), 0).Parse("a b c d ", nil)
	g := query.NewGraph(k.Terms)
	last := NewRemoval(g, k.Terms, Last, nil)
	if len(last.Groups) != 3 {
		t.Fatalf("%d groups", len(last.Groups))
	}
	var a, b, c, d uint16
	for i := 2; i < len(g.Nodes); i++ {
		switch k.Terms[g.Nodes[i].Term].Text {
		case "a":
			a = uint16(i)
		case "b":
			b = uint16(i)
		case "c":
			c = uint16(i)
		case "d":
			d = uint16(i)
		}
	}
	for _, x := range []struct {
		node    uint16
		dropped bool
		before  []uint16
	}{
		{a, false, nil}, {d, true, nil}, {c, true, []uint16{d}}, {b, true, []uint16{d, c}},
	} {
		before := last.Earlier(x.node)
		if last.Removable(x.node) != x.dropped || (before == nil) != (x.before == nil) {
			t.Errorf("node %d: dropped %v, after %v", x.node, last.Removable(x.node), before)
		}
		for _, other := range []uint16{a, b, c, d} {
			if before.Has(other) != slices.Contains(x.before, other) {
				t.Errorf("node %d: node %d is dropped before: %v", x.node, other, before.Has(other))
			}
		}
	}
}

func TestRules(t *testing.T) {
	s := settings.Default()
	names := func(rules []Rule) string {
		kinds := [...]string{"", "words", "typo", "proximity", "rank", "position", "exactAttribute", "exactWords", "sort", "geo", "vector"}
		var out []string
		for _, r := range rules {
			n := kinds[r.Kind]
			if r.Kind == Sort {
				n = r.Field
			}
			out = append(out, n)
		}
		return strings.Join(out, " ")
	}
	by := []Rule{{Kind: Sort, Field: "x"}, {Kind: Geo}, {Kind: Sort, Field: "x", Desc: true}}
	cases := []struct {
		rules    string
		kind     QueryKind
		strategy Strategy
		want     string
	}{
		{"words typo proximity attributeRank sort wordPosition exactness", Keyword, Last, "words typo proximity rank x geo position exactAttribute exactWords"},
		{"words typo sort", Keyword, All, "typo x geo"},
		{"sort typo words", Keyword, Last, "x geo words typo"},
		{"attribute attributeRank typo typo", Keyword, Last, "words rank position typo"},
		{"wordPosition attribute attributeRank", Keyword, Last, "words position rank"},
		{"x:desc sort y:asc", Keyword, Last, "x geo y"},
		{"words typo sort y:asc", Placeholder, Last, "x geo y"},
		{"words sort typo y:asc", Semantic, Last, "vector x geo y"},
	}
	for _, tt := range cases {
		s.RankingRules = strings.Fields(tt.rules)
		if got := names(NewRules(s, tt.kind, tt.strategy, by, Rule{Kind: Vector})); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.rules, got, tt.want)
		}
	}
}

// FuzzKeywords: any text gives terms within the limits and a graph whose paths
// cover all terms in order.
func FuzzKeywords(f *testing.F) {
	for _, q := range []string{"sun flower", `-"a b" c`, `"x. y`, "ｆｕｌｌ … width", "a-b_c'd", "نص عربي", "東京 tower"} {
		f.Add(q)
	}
	s := settings.Default()
	s.StopWords = []string{"the"}
	s.Synonyms = map[string][]string{"a": {"b c"}}
	l := query.NewLexis(s, 0)
	f.Fuzz(func(t *testing.T, q string) {
		k := l.Parse(q, nil)
		g := query.NewGraph(k.Terms)
		c := CostContext{Terms: k.Terms, MaxWeight: 3}
		for _, strategy := range []Strategy{Last, All} {
			c.Removal = NewRemoval(g, k.Terms, strategy, nil)
			g.Without(c.Removal.All())
		}
		for kind := Words; kind <= ExactWords; kind++ {
			if c.MaxRank(kind, g) == 0 {
				t.Fatalf("rank of %d is 0", kind)
			}
		}
		singles := 0
		for i := range k.Terms {
			if k.Terms[i].Size() == 1 {
				singles++
			}
		}
		if singles > query.MaxTerms || len(g.Nodes) != 2+len(k.Terms) {
			t.Fatalf("%d terms, %d nodes", singles, len(g.Nodes))
		}
		path := 0
		for n := uint16(query.Start); n != query.End; path++ {
			n = g.Nodes[n].Succ[0]
		}
		if path != singles+1 {
			t.Fatalf("the first path has %d nodes, want %d", path-1, singles)
		}
	})
}
