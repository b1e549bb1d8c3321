package rule

import (
	"reflect"
	"testing"

	"shoal/query"
)

// two is the graph "phrase word" of a phrase of three words and a word that allows two
// typos, next to each other.
func two() (*query.Graph, *CostContext) {
	terms := []query.Term{
		{Text: "a b c", Phrase: []string{"a", "b", "c"}, First: 0, Last: 2, FirstID: 0, LastID: 0},
		{Text: "dddd", Budget: 2, First: 3, Last: 3, FirstID: 1, LastID: 1, Known: true},
	}
	g := query.FromPaths([][]query.Ref{{{Term: 0, Sub: query.Full}, {Term: 1, Sub: query.Full}}})
	return g, &CostContext{Terms: terms, MaxWeight: 4}
}

func TestMaximumRanks(t *testing.T) {
	g, c := two()
	for kind, want := range map[Kind]uint32{
		Words:          1 + 2,     // nothing may be dropped, and two more words of the phrase
		Typo:           1 + 2,     // of the word
		Proximity:      1 + 3,     // one pair, far apart
		AttributeRank:  1 + 4 + 4, // the last field twice
		WordPosition:   1 + 10 + 10,
		ExactAttribute: 3,
		ExactWords:     1 + 2, // neither is exact
	} {
		if got := c.MaxRank(kind, g); got != want {
			t.Errorf("%s: %d, want %d", kind.Label(), got, want)
		}
	}
	c.Terms[1].First, c.Terms[1].Last = 4, 4 // something stood between them
	if got := c.MaxRank(Proximity, g); got != 1 {
		t.Errorf("proximity of terms that are no neighbours: %d", got)
	}
	c.Removal = NewRemoval(g, c.Terms, Last, nil)
	if got := c.MaxRank(Words, g); got != 1+2+1 {
		t.Errorf("words, of which the last one may be dropped: %d", got)
	}
}

func TestNgramsCostMore(t *testing.T) {
	terms := []query.Term{{Text: "ab", Ngram: []string{"a", "b"}, FirstID: 0, LastID: 1, Last: 1, Budget: 1}}
	g := query.FromPaths([][]query.Ref{{{Term: 0, Sub: query.Full}}})
	c := &CostContext{Terms: terms, MaxWeight: 4}
	for kind, want := range map[Kind]uint32{Typo: 1 + 2 + 1, Proximity: 1 + 1, AttributeRank: 1 + 8, WordPosition: 1 + 20, ExactWords: 1 + 2} {
		if got := c.MaxRank(kind, g); got != want {
			t.Errorf("%s: %d, want %d", kind.Label(), got, want)
		}
	}
}

func TestMergedPaths(t *testing.T) {
	a, b, c := Path{Step(2, 0)}, Path{Step(2, 0), Step(3, 1)}, Path{Step(2, 1)}
	for _, x := range []struct{ lists, want []Path }{
		{nil, nil},
		{[]Path{a, c}, []Path{a, c}},
		{[]Path{c, a}, []Path{c, a}}, // one list is in order already: not looked at
	} {
		if got := MergePaths(x.lists, nil); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%v: %v", x.lists, got)
		}
	}
	if got := MergePaths([]Path{a, c}, nil, []Path{a, b}); !reflect.DeepEqual(got, []Path{a, b, c}) {
		t.Errorf("two lists: %v", got)
	}
}

func TestGraphOfTheNextRule(t *testing.T) {
	g, c := two()
	first, second := uint16(2), uint16(3)
	for _, x := range []struct {
		name  string
		kind  Kind
		paths []Path
		want  [][]query.Ref // nil: the same graph
	}{
		{"a chain stays", Proximity, []Path{{Step(first, 0), Step(second, 2)}}, nil},
		{"typos", Typo, []Path{{Step(first, 0), Step(second, 1)}, {Step(first, 0), Step(second, 2)}}, [][]query.Ref{
			{{Term: 0, Sub: query.Full.TypoGroup(0)}, {Term: 1, Sub: query.One}},
			{{Term: 0, Sub: query.Full.TypoGroup(0)}, {Term: 1, Sub: query.Two}},
		}},
		{"one path of typos", Typo, []Path{{Step(first, 0), Step(second, 1)}}, [][]query.Ref{{{Term: 0, Sub: query.Full.TypoGroup(0)}, {Term: 1, Sub: query.One}}}},
		{"dropped", Words, []Path{{Step(first, Visit), Step(second, Skip)}}, [][]query.Ref{{{Term: 0, Sub: query.Full}}}},
		{"kept", Words, []Path{{Step(first, Visit), Step(second, Visit)}}, [][]query.Ref{{{Term: 0, Sub: query.Full}, {Term: 1, Sub: query.Full}}}},
		{"exact", ExactWords, []Path{{Step(first, 0), Step(second, 1)}}, [][]query.Ref{{{Term: 0, Sub: query.ExactForm | query.Mandatory}, {Term: 1, Sub: query.Full}}}},
		{"several paths", Proximity, []Path{{Step(first, 0), Step(second, 0)}, {Step(first, 0), Step(second, 1)}}, [][]query.Ref{{{Term: 0, Sub: query.Full}, {Term: 1, Sub: query.Full}}}},
	} {
		got := NextGraph(x.kind, g, c.Terms, x.paths)
		if x.want == nil {
			if got != g {
				t.Errorf("%s: another graph", x.name)
			}
			continue
		}
		if want := query.FromPaths(x.want); got == g || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", x.name, got, want)
		}
	}
}

// A single path is not the whole graph if the graph has others.
func TestOnePathOfSeveral(t *testing.T) {
	_, c := two()
	g := query.FromPaths([][]query.Ref{{{Term: 0, Sub: query.Full}}, {{Term: 1, Sub: query.Full}}})
	got := NextGraph(Proximity, g, c.Terms, []Path{{Step(3, 0)}})
	if want := query.FromPaths([][]query.Ref{{{Term: 1, Sub: query.Full}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
