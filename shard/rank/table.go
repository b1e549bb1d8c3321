package rank

import (
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/record"
)

// table holds the features of documents: what their token records say about the
// nodes (slots) and edges of a graph. Rows are documents in ascending order.
type table struct {
	s     *Scope
	ords  []uint32
	refs  []query.Ref // slots
	slot  map[query.Ref]int
	pairs [][2]int // edges between neighbouring terms, by slots
	pair  map[[2]int]int
	// member tells, slot by slot, which rows are documents of the node.
	member []query.Bits
	// weight is the least field weight times the size of the term, distance the
	// least distance from the place in the query; absent when the node does not
	// occur. near is the cost of the best proximity, FarProximity when there is
	// none. Row-major.
	weight   []uint32
	distance []uint32
	near     []uint8
}

// features returns a table that covers the documents of a set and a graph: the
// session's if it does, else a new one.
func (s *Scope) features(set docset.Set, g *query.Graph) (*table, error) {
	if t := s.table; t != nil && t.covers(g) && t.holds(set) {
		return t, nil
	}
	t := &table{s: s, slot: make(map[query.Ref]int), pair: make(map[[2]int]int)}
	t.layout(g)
	t.ords = set.AppendTo(make([]uint32, 0, set.Len()))
	if err := t.fill(set); err != nil {
		return nil, err
	}
	s.table = t
	return t, nil
}

// layout gives every node and every pair of neighbours of a graph its column.
func (t *table) layout(g *query.Graph) {
	for i := 2; i < len(g.Nodes); i++ {
		ref := query.Ref{Term: g.Nodes[i].Term, Sub: g.Nodes[i].Sub}
		if _, ok := t.slot[ref]; !ok {
			t.slot[ref] = len(t.refs)
			t.refs = append(t.refs, ref)
		}
	}
	t.eachPair(g, func(p [2]int) bool {
		if _, ok := t.pair[p]; !ok {
			t.pair[p] = len(t.pairs)
			t.pairs = append(t.pairs, p)
		}
		return true
	})
}

// eachPair calls f for the slots of neighbouring terms until it returns false.
// A node without slot has -1.
func (t *table) eachPair(g *query.Graph, f func([2]int) bool) {
	at := func(n uint16) int {
		if i, ok := t.slot[query.Ref{Term: g.Nodes[n].Term, Sub: g.Nodes[n].Sub}]; ok {
			return i
		}
		return -1
	}
	for i := 2; i < len(g.Nodes); i++ {
		for _, next := range g.Nodes[i].Succ {
			if next == query.End || !rule.Adjacent(&t.s.terms[g.Nodes[i].Term], &t.s.terms[g.Nodes[next].Term]) {
				continue
			}
			if !f([2]int{at(uint16(i)), at(next)}) {
				return
			}
		}
	}
}

func (t *table) covers(g *query.Graph) bool {
	for i := 2; i < len(g.Nodes); i++ {
		if _, ok := t.slot[query.Ref{Term: g.Nodes[i].Term, Sub: g.Nodes[i].Sub}]; !ok {
			return false
		}
	}
	ok := true
	t.eachPair(g, func(p [2]int) bool {
		_, ok = t.pair[p]
		return ok
	})
	return ok
}

// holds tells whether all documents of a set have rows.
func (t *table) holds(set docset.Set) bool {
	if set.Len() > len(t.ords) {
		return false
	}
	at, ok := 0, true
	set.Each(func(ord uint32) bool {
		at, ok = t.row(ord, at)
		return ok
	})
	return ok
}

// row finds the row of a document at or after row from.
func (t *table) row(ord uint32, from int) (int, bool) {
	step := 1
	lo := from
	for lo+step < len(t.ords) && t.ords[lo+step] <= ord {
		lo += step
		step *= 2
	}
	i, ok := slices.BinarySearch(t.ords[lo:min(lo+step, len(t.ords))], ord)
	return lo + i, ok
}

// rows returns the rows of the documents of a set, ascending.
func (t *table) rows(set docset.Set) []int32 {
	rows := make([]int32, 0, set.Len())
	if set.Len() == len(t.ords) {
		for i := range t.ords {
			rows = append(rows, int32(i))
		}
		return rows
	}
	at := 0
	set.Each(func(ord uint32) bool {
		at, _ = t.row(ord, at)
		rows = append(rows, int32(at))
		return true
	})
	return rows
}

// fill reads the record of every row.
func (t *table) fill(set docset.Set) error {
	n := len(t.ords)
	t.weight = make([]uint32, n*len(t.refs))
	t.distance = make([]uint32, n*len(t.refs))
	t.near = make([]uint8, n*len(t.pairs))
	t.member = make([]query.Bits, len(t.refs))
	x := extractor{t: t, doc: document{scope: t.s}, nodes: make([]nodePlaces, len(t.refs))}
	for i, ref := range t.refs {
		leaf, err := t.s.leaf(ref)
		if err != nil {
			return err
		}
		t.member[i] = query.NewBits(n)
		at := 0
		leaf.And(set).Each(func(ord uint32) bool {
			at, _ = t.row(ord, at)
			t.member[i][at>>6] |= 1 << (at & 63)
			return true
		})
		if err := x.prepare(&x.nodes[i], ref); err != nil {
			return err
		}
	}
	row := 0
	return t.s.eachRecord(set, func(ord uint32, tokens record.Tokens) bool {
		for t.ords[row] != ord {
			t.blank(row)
			row++
		}
		x.doc.tokens = tokens
		x.read(row, ord)
		row++
		return true
	})
}

// blank marks a row without record as matching nothing.
func (t *table) blank(row int) {
	for i := range t.refs {
		t.weight[row*len(t.refs)+i], t.distance[row*len(t.refs)+i] = absent, absent
	}
	for i := range t.pairs {
		t.near[row*len(t.pairs)+i] = rule.FarProximity
	}
}

func (t *table) isMember(slot int, row int32) bool {
	return t.member[slot][row>>6]&(1<<(row&63)) != 0
}
