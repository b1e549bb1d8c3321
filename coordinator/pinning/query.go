package pinning

import (
	"slices"
	"strings"
	"time"

	"shoal/query"
	"shoal/query/filter"
)

// Fuel bounds the work of rules for one search (spec search-api 14).
type Fuel struct {
	// CountedWords bounds the words of a query that conditions see.
	CountedWords int
	// ActiveRules bounds the rules in force at once.
	ActiveRules int
	// PinActions bounds the pinned documents, and the scales that count.
	PinActions int
}

// DefaultFuel applies when the operator sets nothing.
var DefaultFuel = Fuel{CountedWords: 10, ActiveRules: 1000, PinActions: 100}

// Query is a search as the conditions of rules see it.
type Query struct {
	// IndexUID is the index of the search.
	IndexUID string
	// Words are the single words of the query, normalised. Empty tells that the query has no
	// words and phrases.
	Words []string
	Empty bool
	// Filter is the filter of the search, nil for none.
	Filter *filter.Filter
	Now    time.Time
	// Fuel bounds the work; the zero value means DefaultFuel.
	Fuel Fuel
}

func (q *Query) fuel() Fuel {
	if q.Fuel == (Fuel{}) {
		return DefaultFuel
	}
	return q.Fuel
}

// counted returns the words that conditions see.
func (q *Query) counted() []string { return q.Words[:min(len(q.Words), q.fuel().CountedWords)] }

// WordsOf lists the words of a parsed query, each phrase as one, and tells whether the query is
// empty.
func WordsOf(k *query.Keywords) (words []string, empty bool) {
	if k == nil {
		return nil, true
	}
	for i := range k.Terms {
		if t := &k.Terms[i]; !t.IsNgram() {
			word := t.Text
			if t.IsPhrase() {
				word = strings.Join(t.Phrase, " ")
			}
			words = append(words, word)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	return words, len(k.Terms) == 0
}
