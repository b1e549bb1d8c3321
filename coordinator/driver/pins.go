package driver

import (
	"cmp"
	"slices"

	"shoal/coordinator/score"

	"shoal/wire"
)

// Pin is a document that should stand at a position of the result, counted from 0.
type Pin struct {
	Ordinal  uint32
	Position uint32
}

// PinnedHit is a pinned document that is in scope.
type PinnedHit struct {
	Hit
	Position uint32
	// Counted: it is in the total. With an exact one it is not if it repeats a distinct value.
	Counted bool
}

func pinnedOrdinals(pins []Pin) []uint32 {
	if len(pins) == 0 {
		return nil
	}
	out := make([]uint32, len(pins))
	for i, p := range pins {
		out[i] = p.Ordinal
	}
	return out
}

// pinned records the pins that are in scope, the more important ones first.
func (d *drive) pinned(replies []*wire.SearchReply) {
	for _, p := range d.plan.Pins {
		for shard, r := range replies {
			if _, ok := slices.BinarySearch(r.Universe.Pinned, p.Ordinal); ok {
				hit := Hit{Ordinal: p.Ordinal, Source: shard, Details: score.Details{{Pinned: true, Position: p.Position}}}
				d.out.Pinned = append(d.out.Pinned, PinnedHit{hit, p.Position, true})
			}
		}
	}
}

// Place inserts pins, sorted by position, among the others. At every position it takes the next
// pin if it is due, else the next of the others, else the next pin (spec ranking 5.12). It
// returns at most limit.
func Place[T any](others, pins []T, position func(T) uint32, limit int) []T {
	if len(pins) == 0 {
		return others[:min(len(others), limit)]
	}
	out := make([]T, 0, min(len(others)+len(pins), limit))
	for len(out) < limit && (len(others) > 0 || len(pins) > 0) {
		if len(pins) > 0 && (len(others) == 0 || int64(position(pins[0])) <= int64(len(out))) {
			out, pins = append(out, pins[0]), pins[1:]
		} else {
			out, others = append(out, others[0]), others[1:]
		}
	}
	return out
}

// Placed inserts the pinned documents among hits, which may be fewer than were ranked. It
// returns at most limit.
func (r *Ranked) Placed(hits []Hit, limit int) []Hit {
	list := r.Within(len(hits), limit)
	pins := make([]Hit, len(list))
	for i := range list {
		pins[i] = list[i].Hit
	}
	return Place(hits, pins, func(h Hit) uint32 { return h.Details[0].Position }, limit)
}

// MakeRoom cuts hits and pins after the last ones that stand on the first limit places. What a search
// does with its list later, it does without the others, as in the reference.
func (r *Ranked) MakeRoom(limit int) {
	pins := r.Within(len(r.Hits), limit)
	r.Hits = r.Hits[:min(len(r.Hits), max(0, limit-len(pins)))]
	r.Reached = append([]PinnedHit{}, pins...)
}

// pins are the pins to place, in this order.
func (r *Ranked) pins() []PinnedHit {
	if r.Reached != nil {
		return r.Reached
	}
	return r.Pinned
}

// Within returns the pins that stand among the first limit of a list with so many other hits, by
// position. As in the reference, a pin waits for the more important ones at first, whatever its
// position: behind one of a later page it does not stand on this one.
func (r *Ranked) Within(others, limit int) []PinnedHit {
	pins := r.pins()
	n, _ := Standing(len(pins), func(i int) uint32 { return pins[i].Position }, others, limit)
	out := slices.Clone(pins[:n])
	sortPins(out)
	return out
}

func sortPins(pins []PinnedHit) {
	slices.SortStableFunc(pins, func(a, b PinnedHit) int { return cmp.Compare(a.Position, b.Position) })
}

// Standing tells how many of so many pins, in their order, and how many others stand on the first
// limit places, by the rule of Place.
func Standing(pins int, position func(i int) uint32, others, limit int) (pinned, hits int) {
	for pinned+hits < limit && pinned < pins {
		if hits < others && int64(position(pinned)) > int64(pinned+hits) {
			hits++
		} else {
			pinned++
		}
	}
	return pinned, max(hits, min(others, limit-pinned))
}

// JoinPins returns the pins that either list reaches, by position.
func JoinPins(a, b *Ranked) []PinnedHit {
	out := slices.Clone(a.Reached)
	for _, p := range b.Reached {
		if !Contains(out, p) {
			out = append(out, p)
		}
	}
	sortPins(out)
	return out
}

// Contains tells whether the document of a pin is among others.
func Contains(pins []PinnedHit, p PinnedHit) bool {
	return slices.ContainsFunc(pins, func(q PinnedHit) bool { return q.Source == p.Source && q.Ordinal == p.Ordinal })
}
