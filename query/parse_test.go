package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/text"
)

// describe writes terms as text@first[-last], * for a prefix, ~n for a budget.
func describe(k *Keywords) string {
	var out []string
	for i := range k.Terms {
		t := &k.Terms[i]
		s := t.Text
		if t.IsPhrase() {
			s = fmt.Sprintf("%q", t.Phrase)
		}
		if t.Prefix {
			s += "*"
		}
		if t.Budget > 0 {
			s += fmt.Sprintf("~%d", t.Budget)
		}
		s += fmt.Sprintf("@%d", t.First)
		if t.Last != t.First {
			s += fmt.Sprintf("-%d", t.Last)
		}
		out = append(out, s)
	}
	words, phrases := k.Excluded()
	for _, w := range words {
		out = append(out, "-"+w)
	}
	for _, p := range phrases {
		out = append(out, fmt.Sprintf("-%q", p))
	}
	return strings.Join(out, " ")
}

func TestParse(t *testing.T) {
	s := settings.Default()
	s.StopWords = []string{"of", "the"}
	s.TypoTolerance.DisableOnWords = []string{"exactly"}
	l := NewLexis(s, 0)
	cases := []struct{ q, want string }{
		{"", ""},
		{"sun", "sun*@0"},
		{"sun ", "sun@0"},
		{"sun flower", "sun@0 flower*~1@1 sunflower*~1@0-1"},
		{"king of france", "king@0 france*~1@2"},
		{"king of ", "king@0"},
		{"king of", "king@0 of*@1 kingof*@0-1"},
		{"of the ", ""},
		{". foo", "foo*@7"},
		{"foo. bar ", "foo@0 bar@8"},
		{`"sun flower`, `["sun" "flower"]@0-1`},
		{`"sun flower" x `, `["sun" "flower"]@0-1 x@2`},
		{`"the king of"`, `["" "king" ""]@1-2`},
		{`"of the"`, ""},
		{`a "b c`, `a@0 ["b" "c"]@1-2`},
		{`"a. b"`, `["a"]@0 ["b"]@8`},
		{"sun -flower", "sun@0 -flower"},
		{"sun-flower", "sun@0 flower*~1@1 sunflower*~1@0-1"},
		{`sun -"a b" c`, `sun@0 c*@3 -["a" "b"]`},
		{"-sun", "-sun"},
		{"a b c ", "a@0 b@1 ab@0-1 c@2 bc@1-2 abc@0-2"},
		{"exactly ", "exactly@0"},
		{"extraordinary ", "extraordinary~2@0"},
		{strings.Repeat("x", 251), strings.Repeat("x", 251) + "@0"},
		{"1 2 3 4 5 6 7 8 9 10 11", "1@0 2@1 3@2 4@3 5@4 6@5 7@6 8@7 9@8 10@9"},
	}
	for _, tt := range cases {
		k := l.Parse(tt.q, nil)
		got := describe(k)
		if strings.HasPrefix(tt.q, "1 2 ") || strings.HasPrefix(tt.q, "a b c") {
			if !strings.HasPrefix(tt.q, "1 2 ") {
				// n-grams follow the terms
				got = describe(&Keywords{Terms: interleave(k.Terms)})
			} else {
				got = describe(&Keywords{Terms: k.Terms[:10]})
			}
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.q, got, tt.want)
		}
	}
}

// interleave puts n-grams after their last word, in the order of nodes.
func interleave(terms []Term) []Term {
	g := NewGraph(terms)
	var out []Term
	for _, n := range g.Nodes[2:] {
		out = append(out, terms[n.Term])
	}
	return out
}

// A word of full-width letters keeps its case, so the setting that names it does
// not mean the word in small letters.
func TestExactWordsNormalisedOnce(t *testing.T) {
	s := settings.Default()
	s.TypoTolerance.DisableOnWords = []string{text.Default.Lemmas("ＨＥＬＬＯ")}
	l := NewLexis(s, 0)
	for word, want := range map[string]uint8{"ＨＥＬＬＯ": 0, "hello": 1} {
		if got := l.Parse(word+" ", nil).Terms[0].Budget; got != want {
			t.Errorf("%s: %d typos, want %d", word, got, want)
		}
	}
}

func TestSynonyms(t *testing.T) {
	s := settings.Default()
	s.Synonyms = map[string][]string{"NYC": {"New York", "big apple", "New York"}, "new york": {"nyc"}, "...": {"x"}}
	l := NewLexis(s, 0)
	k := l.Parse("new york nyc ", nil)
	for i := range k.Terms {
		term := &k.Terms[i]
		switch {
		case term.Text == "nyc":
			if fmt.Sprint(term.Synonyms) != "[[new york] [big apple]]" {
				t.Errorf("nyc: %v", term.Synonyms)
			}
		case term.Text == "newyork":
			if fmt.Sprint(term.Synonyms) != "[[nyc]]" {
				t.Errorf("newyork: %v", term.Synonyms)
			}
		case len(term.Synonyms) > 0:
			t.Errorf("%s: %v", term.Text, term.Synonyms)
		}
	}
}

func TestFromPathsSharesSuffixes(t *testing.T) {
	a, b1, b2, c := Ref{0, Full}, Ref{1, Zero}, Ref{1, One}, Ref{2, Full}
	g := FromPaths([][]Ref{{a, b1, c}, {a, b2, c}, {a, b1, c}})
	// The two nodes a differ in their successors; c is shared.
	want := []Node{{Succ: []uint16{2, 5}}, {}, {0, Full, []uint16{3}}, {1, Zero, []uint16{4}}, {2, Full, []uint16{1}}, {0, Full, []uint16{6}}, {1, One, []uint16{4}}}
	if len(g.Nodes) != len(want) {
		t.Fatalf("%+v", g.Nodes)
	}
	for i := range want {
		if g.Nodes[i].Term != want[i].Term || g.Nodes[i].Sub != want[i].Sub || !slices.Equal(g.Nodes[i].Succ, want[i].Succ) {
			t.Errorf("node %d: %+v, want %+v", i, g.Nodes[i], want[i])
		}
	}
}
