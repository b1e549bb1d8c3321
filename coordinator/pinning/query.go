package pinning

import (
	"slices"
	"time"

	"shoal/query"
	"shoal/query/filter"
)

// Fuel bounds the work of rules for one search (spec search-api 14).
type Fuel struct {
	// CountedWords is how many words of a query are looked at.
	CountedWords int
	// ActiveRules is how many rules can be in force at once.
	ActiveRules int
	// PinActions is how many documents can be pinned at once, and how many scales
	// count.
	PinActions int
}

// DefaultFuel is what an operator who sets nothing has.
var DefaultFuel = Fuel{CountedWords: 10, ActiveRules: 1000, PinActions: 100}

// Query is what the conditions of rules look at.
type Query struct {
	// IndexUID is the index searched.
	IndexUID string
	// Words are the single words of the query, normalised. Empty tells that it has
	// no words and phrases at all.
	Words []string
	Empty bool
	// Filter is nil without one.
	Filter *filter.Filter
	Now    time.Time
	// Fuel bounds the work; the zero value stands for DefaultFuel.
	Fuel Fuel
}

func (q *Query) fuel() Fuel {
	if q.Fuel == (Fuel{}) {
		return DefaultFuel
	}
	return q.Fuel
}

// counted are the words that conditions look at.
func (q *Query) counted() []string { return q.Words[:min(len(q.Words), q.fuel().CountedWords)] }

// WordsOf lists the single words of a parsed query, and tells whether the query is
// empty.
func WordsOf(k *query.Keywords) (words []string, empty bool) {
	if k == nil {
		return nil, true
	}
	for i := range k.Terms {
		if t := &k.Terms[i]; !t.IsNgram() && !t.IsPhrase() {
			words = append(words, t.Text)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	return words, len(k.Terms) == 0
}
