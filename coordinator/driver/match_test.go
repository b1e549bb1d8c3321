package driver_test

import (
	"slices"
	"testing"

	"shoal/coordinator/driver"
	"shoal/query"
)

// TestWordsWithTyposAreTriedInTheOrderTheQueryMeetsThem: "starship" is a match of "sthar"
// by the words "star" and "stars". The first one of the list says whether four or five
// letters are highlighted, and "stars" is first when the query names it.
func TestWordsWithTyposAreTriedInTheOrderTheQueryMeetsThem(t *testing.T) {
	stars := query.Term{Text: "stars", Known: true, Budget: 1, One: []string{"star", "start"}}
	sthar := query.Term{Text: "sthar", Prefix: true, Budget: 1, One: []string{"sear", "star", "stars", "start"}, First: 1, Last: 1, FirstID: 1, LastID: 1}
	stair := query.Term{Text: "stair", First: 0, Last: 0}
	for _, c := range []struct {
		name      string
		terms     []query.Term
		touched   []uint16
		want      []string
		negatives []query.Negative
	}{
		{"alone", []query.Term{sthar}, []uint16{0}, []string{"sear", "star", "stars", "start"}, nil},
		{"no typos looked up", []query.Term{stars, sthar}, nil, nil, nil},
		{"after a word of the query", []query.Term{stars, sthar}, []uint16{1, 0}, []string{"stars", "sear", "star", "start"}, nil},
		{"after the typos of another word", []query.Term{stars, sthar}, []uint16{0, 1}, []string{"stars", "star", "start", "sear"}, nil},
		{"after a synonym", []query.Term{{Text: "x", Synonyms: [][]string{{"big", "start"}}}, sthar}, []uint16{0, 1}, []string{"start", "sear", "star", "stars"}, nil},
		{"after half of a split", []query.Term{{Text: "starto"}, sthar}, []uint16{0, 1}, []string{"star", "start", "sear", "stars"}, nil},
		{"after a synonym of its own", []query.Term{{Text: "sthar", Prefix: true, One: []string{"star", "start"}, Synonyms: [][]string{{"start"}}}}, []uint16{0}, []string{"start", "star"}, nil},
		{"before the word itself", []query.Term{{Text: "star"}, {Text: "stars", Known: true, Prefix: true, One: []string{"star"}, First: 1, Last: 1, FirstID: 1, LastID: 1}}, []uint16{0, 1}, []string{"star", "stars"}, nil},
		{"after words that have none", []query.Term{stair, sthar}, []uint16{0, 1}, []string{"sear", "star", "stars", "start"}, nil},
		{"after a negative word", []query.Term{sthar}, []uint16{0}, []string{"stars", "sear", "star", "start"}, []query.Negative{{Words: []string{"stars"}}}},
		{"before a negative word", []query.Term{{Text: "sthar", Known: true, Prefix: true, One: []string{"star"}}}, []uint16{0}, []string{"sthar", "star"}, []query.Negative{{Words: []string{"star"}, Before: 1}}},
	} {
		r := driver.Ranked{Terms: c.terms, Touched: c.touched, Negatives: c.negatives}
		var got []string
		for _, w := range r.Match().Words {
			if w.Prefix {
				got = w.Words
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Of two synonyms that begin alike, the first one of the list is highlighted.
func TestPhrasesOfATermBeginWithThoseMetBefore(t *testing.T) {
	r := driver.Ranked{Terms: []query.Term{
		{Text: "a", Synonyms: [][]string{{"new", "york"}}},
		{Text: "b", Synonyms: [][]string{{"new"}, {"new", "york"}}, First: 1, Last: 1, FirstID: 1, LastID: 1},
	}}
	list := r.Match().Phrases
	if len(list) != 3 || len(list[1].Words) != 2 || list[1].First != 1 || len(list[2].Words) != 1 {
		t.Errorf("%+v, want new york before new for the second term, too", list)
	}
}
