package pinning

import (
	"cmp"
	"slices"
	"time"

	"shoal/query"
	"shoal/query/filter"
)

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
}

// WordsOf lists the words of a parsed query that conditions look at, and tells
// whether the query is empty.
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
	return words[:min(len(words), maxWords)], len(k.Terms) == 0
}

// Pin is a document that should stand at a place of the result, counted from 0.
type Pin struct {
	ID       string
	Position uint32
}

// Bounds of the work for one search (spec search-api 14).
const (
	maxWords = 10
	maxRules = 1000
	// MaxPins is how many documents can be pinned at once.
	MaxPins = 100
	// maxCandidates bounds the pins of one search that are looked up.
	maxCandidates = 1000
)

// Pins lists what the rules in force pin for a query: rules by ascending
// precedence, those without one last, then by creation; the actions of a rule in
// their order. Of several pins of one document only the first counts.
func (s *Store) Pins(q *Query) []Pin {
	var active []*rule
	var ways []conjunction
	split := false
	for _, r := range s.rules {
		if !r.Active || len(r.Actions) == 0 || !r.inTime(q.Now) || !r.asks(q) {
			continue
		}
		if len(r.fields) > 0 {
			if !split {
				ways, split = conjunctions(q.Filter), true
			}
			if !r.allowed(ways) {
				continue
			}
		}
		active = append(active, r)
	}
	slices.SortStableFunc(active, byPrecedence)
	var pins []Pin
	seen := map[string]bool{}
	for _, r := range active[:min(len(active), maxRules)] {
		for i := range r.Actions {
			a := &r.Actions[i]
			if a.IndexUID != nil && *a.IndexUID != q.IndexUID || seen[a.ID] {
				continue
			}
			if len(pins) == maxCandidates {
				return pins
			}
			seen[a.ID] = true
			pins = append(pins, Pin{a.ID, a.Position})
		}
	}
	return pins
}

func byPrecedence(a, b *rule) int {
	switch {
	case a.Precedence == nil && b.Precedence == nil:
		return 0
	case a.Precedence == nil:
		return 1
	case b.Precedence == nil:
		return -1
	}
	return cmp.Compare(*a.Precedence, *b.Precedence)
}
