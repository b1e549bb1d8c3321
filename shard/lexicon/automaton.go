package lexicon

import (
	"fmt"
	"unicode/utf8"
)

// Automaton accepts the words within a distance of a query word. Immutable and safe for
// concurrent use.
type Automaton struct {
	p *parametric
	// query holds the characters, padded on both sides with values that match nothing.
	// The window of a prefix of k characters is query[k:k+band].
	query  []rune
	length int
	prefix bool
}

// padding matches no character.
const padding rune = -1

// NewAutomaton returns an automaton for the words within distance of query; distance is
// 0 to [MaxDistance]. The prefix variant accepts words that begin with something near
// the query (spec ranking 3.3).
func NewAutomaton(query string, distance int, prefix bool) *Automaton {
	if distance < 0 || distance > MaxDistance {
		panic(fmt.Sprintf("lexicon: distance %d", distance))
	}
	a := &Automaton{p: parametrics[distance](), prefix: prefix}
	a.length = utf8.RuneCountInString(query)
	a.query = make([]rune, 0, a.length+4*distance+2)
	for range distance {
		a.query = append(a.query, padding)
	}
	for _, r := range query {
		a.query = append(a.query, r)
	}
	for range 3*distance + 2 {
		a.query = append(a.query, padding)
	}
	return a
}

// state is a row of the parametric automaton with the number of characters read.
type state struct {
	row   uint16
	chars int
}

var startState = state{row: 1}

// step reads one character. The result is dead if no continuation is accepted.
func (a *Automaton) step(s state, c rune) state {
	window := a.query[s.chars:]
	matches := 0
	for i := range a.p.band {
		if window[i] == c {
			matches |= 1 << i
		}
	}
	return a.settle(a.p.next[int(s.row)<<a.p.band+matches], s.chars+1)
}

// settle returns a dead state if the rest of the query is too short for the row.
func (a *Automaton) settle(row uint16, chars int) state {
	end := a.length - chars + a.p.bound
	if end < 0 || int(a.p.least[row][min(end, a.p.band-1)]) > a.p.bound {
		return state{0, chars}
	}
	return state{row, chars}
}

func (s state) dead() bool { return s.row == 0 }

// distance returns D(query, prefix read) if it is within the bound.
func (a *Automaton) distance(s state) (int, bool) {
	end := a.length - s.chars + a.p.bound
	if end < 0 || end >= a.p.band {
		return 0, false
	}
	d := int(a.p.cost[s.row][end])
	return d, d <= a.p.bound
}

// sunk returns the distance of all continuations if a prefix automaton stops here.
func (a *Automaton) sunk(s state) (int, bool) {
	if !a.prefix {
		return 0, false
	}
	end := a.length - s.chars + a.p.bound
	if end < 0 || end >= a.p.band {
		return 0, false
	}
	d := a.p.sink[s.row][end]
	return int(d), d != noSink
}

// Match returns the distance of a whole word if the automaton accepts it.
func (a *Automaton) Match(word string) (distance int, ok bool) {
	s := startState
	if d, ok := a.sunk(s); ok {
		return d, true
	}
	for _, c := range word {
		if s = a.step(s, c); s.dead() {
			return 0, false
		}
		if d, ok := a.sunk(s); ok {
			return d, true
		}
	}
	return a.distance(s)
}

// following returns the smallest character greater than c that leads from s to a live
// state. any means that all characters do, so the next sibling will.
func (a *Automaton) following(s state, c rune) (next rune, any, ok bool) {
	if !a.settle(a.p.next[int(s.row)<<a.p.band], s.chars+1).dead() {
		return 0, true, true
	}
	next = utf8.MaxRune + 1
	for _, q := range a.query[s.chars : s.chars+a.p.band] {
		if q > c && q < next && !a.step(s, q).dead() {
			next = q
		}
	}
	return next, false, next <= utf8.MaxRune
}
