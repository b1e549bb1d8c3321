package lexicon

import "sync"

// MaxDistance is the largest distance bound of an automaton.
const MaxDistance = 2

// A parametric automaton (after Schulz and Mihov) describes, for one distance bound d
// and any query word q, the relevant facts about a candidate prefix p of k characters:
// the distances D(q[:j], p) for j from k-d to k+d, each capped at d+1. These rows move
// along the diagonal, so with j relative to k there are few different ones. The next
// row depends only on the row and on which of the 2d+1 query characters around the
// diagonal equal the next candidate character. The same tables therefore serve every
// query.

// maxBand is the width of the widest band, 2·MaxDistance+1.
const maxBand = 2*MaxDistance + 1

// row is a state before it is numbered.
type row struct {
	// cost[i] is D(q[:k-d+i], p), capped at d+1.
	cost [maxBand]uint8
	// swap[i] belongs to the row of k+1: the value that D(q[:k+1-d+i], p·c) may take by
	// a transposition, if c is the query character before the last one.
	swap [maxBand]uint8
}

// parametric is the numbered form. State 0 is dead, state 1 the start.
type parametric struct {
	bound int
	band  int
	// next is indexed by state and by the bit set of matches: bit i means that the next
	// character equals q[k-d+i].
	next []uint16
	// cost repeats the rows, indexed by state and i.
	cost [][maxBand]uint8
	// least is the smallest cost up to i. If it exceeds the bound, the state is dead
	// for a query that ends at i.
	least [][maxBand]uint8
	// sink is the distance at which a prefix automaton whose query ends at i stops in
	// this state, or noSink.
	sink [][maxBand]uint8
}

const noSink = 0xFF

var parametrics = [MaxDistance + 1]func() *parametric{
	sync.OnceValue(func() *parametric { return buildParametric(0) }),
	sync.OnceValue(func() *parametric { return buildParametric(1) }),
	sync.OnceValue(func() *parametric { return buildParametric(2) }),
}

// buildParametric numbers all rows reachable from the start.
func buildParametric(bound int) *parametric {
	p := &parametric{bound: bound, band: 2*bound + 1}
	numbers := make(map[row]uint16)
	var rows []row
	number := func(r row) uint16 {
		n, ok := numbers[r]
		if !ok {
			n = uint16(len(rows))
			numbers[r] = n
			rows = append(rows, r)
			p.describe(r)
		}
		return n
	}
	number(p.dead())
	number(p.start())
	for i := 0; i < len(rows); i++ {
		for matches := range uint32(1) << p.band {
			p.next = append(p.next, number(p.step(rows[i], matches)))
		}
	}
	return p
}

func (p *parametric) dead() (r row) {
	for i := range p.band {
		r.cost[i], r.swap[i] = uint8(p.bound+1), uint8(p.bound+1)
	}
	return r
}

// start is the row of the empty prefix: D(q[:j], "") = j.
func (p *parametric) start() row {
	r := p.dead()
	for j := 0; j <= p.bound; j++ {
		r.cost[p.bound+j] = uint8(j)
	}
	return r
}

// step computes the row after one more character by the recurrence of the distance.
func (p *parametric) step(r row, matches uint32) row {
	n := p.dead()
	matched := func(i int) bool { return i >= 0 && i < p.band && matches>>i&1 != 0 }
	lower := func(cell *uint8, v uint8) { *cell = min(*cell, v) }
	for i := range p.band {
		if matched(i) {
			lower(&n.cost[i], r.cost[i])
		} else {
			lower(&n.cost[i], r.cost[i]+1) // substitution
		}
		if i+1 < p.band {
			lower(&n.cost[i], r.cost[i+1]+1) // an extra character
		}
		if i > 0 {
			lower(&n.cost[i], n.cost[i-1]+1) // a missing character
		}
		if matched(i - 1) {
			lower(&n.cost[i], r.swap[i])
		}
		if matched(i + 1) {
			lower(&n.swap[i], r.cost[i]+1)
		}
	}
	if n.cost == p.dead().cost {
		return p.dead()
	}
	return n
}

// describe appends the values derived from one row.
func (p *parametric) describe(r row) {
	var least, sink [maxBand]uint8
	before := uint8(p.bound + 1) // the smallest cost of a shorter query prefix
	for i := range p.band {
		sink[i] = noSink
		if c := r.cost[i]; int(c) <= p.bound && before >= c {
			sink[i] = c
		}
		before = min(before, r.cost[i])
		least[i] = before
	}
	p.cost = append(p.cost, r.cost)
	p.least = append(p.least, least)
	p.sink = append(p.sink, sink)
}
