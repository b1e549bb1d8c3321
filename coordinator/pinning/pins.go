package pinning

import (
	"cmp"
	"slices"

	"shoal/query/filter"
)

// Pin is a document that should stand at a position of the result, counted from 0.
type Pin struct {
	ID       string
	Position uint32
}

// Scale multiplies the scores of some documents by Weight: those named by IDs and those that
// pass Filter (nil: none). Rule is the uid of its rule.
type Scale struct {
	Rule   string
	IDs    []string
	Filter *filter.Filter
	Weight float64
}

// Effect is the effect of the active rules on one search.
type Effect struct {
	// Pins are ordered by the importance of their rules; each document is named once. The list
	// may be longer than the limit of pins, because some documents may not exist.
	Pins []Pin
	// Scales have the same order. The weights of a document in several scales are multiplied.
	Scales []Scale
}

// candidates is the number of pins looked up for each pin that may take effect.
const candidates = 10

// Effect determines the effect of the rules on a query. Rules come by ascending precedence,
// those without precedence last, then by place; the actions of a rule in their order. Of
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

// covers tells whether an action for an index, or for all indexes (nil), applies to this one.
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
