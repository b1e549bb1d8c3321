package pinning

import (
	"cmp"
	"slices"

	"shoal/query/filter"
)

// Pin is a document that should stand at a place of the result, counted from 0.
type Pin struct {
	ID       string
	Position uint32
}

// Scale multiplies the scores of the documents named by IDs and of those that pass
// Filter (nil: none) by Weight. Rule is the uid of the rule that says so.
type Scale struct {
	Rule   string
	IDs    []string
	Filter *filter.Filter
	Weight float64
}

// Effect is what the rules in force do to one search.
type Effect struct {
	// Pins are those of the most important rules first; each document is named once.
	// More than can take effect may be listed, because some documents may not exist.
	Pins []Pin
	// Scales are in the same order. A document may be in several: their weights are
	// multiplied.
	Scales []Scale
}

// candidates is how many pins are looked up for each that may take effect.
const candidates = 10

// Effect works out what the rules do to a query: rules by ascending precedence,
// those without one last, then by creation; the actions of a rule in their order. Of
// several pins of one document only the first counts.
func (s *Store) Effect(q *Query) Effect {
	var e Effect
	fuel := q.fuel()
	seen := map[string]bool{}
	for _, r := range s.inForce(q) {
		for i := range r.Actions.Pins {
			p := &r.Actions.Pins[i]
			if !covers(p.IndexUID, q.IndexUID) || seen[p.ID] || len(e.Pins) == candidates*fuel.PinActions {
				continue
			}
			seen[p.ID] = true
			e.Pins = append(e.Pins, Pin{p.ID, p.Position})
		}
		for i := range r.Actions.Scales {
			x := &r.Actions.Scales[i]
			if covers(x.IndexUID, q.IndexUID) && len(e.Scales) < fuel.PinActions {
				e.Scales = append(e.Scales, Scale{Rule: r.UID, IDs: x.IDs, Filter: r.filters[i], Weight: x.Weight})
			}
		}
	}
	return e
}

// covers tells whether an action for an index, or for any, applies to this one.
func covers(action *string, index string) bool { return action == nil || *action == index }

// inForce lists the rules whose conditions hold, the most important first.
func (s *Store) inForce(q *Query) []*rule {
	var active []*rule
	var ways []conjunction
	split := false
	words := q.counted()
	for _, r := range s.rules {
		if !r.Active || r.Actions.Len() == 0 || r.time(q.Now) != Satisfied || r.emptiness(q) != Satisfied || r.missingWord(words) != "" {
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
	return active[:min(len(active), q.fuel().ActiveRules)]
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
