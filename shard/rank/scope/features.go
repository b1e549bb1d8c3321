package scope

import (
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
)

// Features is a table of what the token records of documents say about the nodes
// (slots) and edges of a graph. Rows are documents in ascending order.
type Features struct {
	Scope *Scope
	Ords  []uint32
	Refs  []query.Ref // slots
	Slot  map[query.Ref]int
	Pairs [][2]int // edges between neighbouring terms, by slots
	Pair  map[[2]int]int
	// member has, per slot, a bit for each row whose document matches the node.
	member []query.Bits
	// Row-major values per node and pair. Weight is the least field weight times the
	// size of the term. Distance is the least distance from the place in the query.
	// Both are columns.Absent if the node does not occur. Near is the cost of the best
	// proximity, FarProximity if there is none.
	Weight   []uint32
	Distance []uint32
	Near     []uint8
}

// Features returns a table that covers the given documents and graph. It reuses the
// search's last table if possible.
func (s *Scope) Features(set docset.Set, g *query.Graph) (*Features, error) {
	if t := s.table; t != nil && t.covers(g) && t.holds(set) {
		return t, nil
	}
	t := &Features{Scope: s, Slot: make(map[query.Ref]int), Pair: make(map[[2]int]int)}
	t.layout(g)
	t.Ords = set.AppendTo(make([]uint32, 0, set.Len()))
	if err := t.fill(set); err != nil {
		return nil, err
	}
	s.table = t
	return t, nil
}

// layout assigns a column to every node and every pair of neighbours of a graph.
func (t *Features) layout(g *query.Graph) {
	for i := 2; i < len(g.Nodes); i++ {
		ref := query.Ref{Term: g.Nodes[i].Term, Sub: g.Nodes[i].Sub}
		if _, ok := t.Slot[ref]; !ok {
			t.Slot[ref] = len(t.Refs)
			t.Refs = append(t.Refs, ref)
		}
	}
	t.eachPair(g, func(p [2]int) bool {
		if _, ok := t.Pair[p]; !ok {
			t.Pair[p] = len(t.Pairs)
			t.Pairs = append(t.Pairs, p)
		}
		return true
	})
}

// eachPair calls f for the slots of neighbouring terms until f returns false. A node
// without slot has -1.
func (t *Features) eachPair(g *query.Graph, f func([2]int) bool) {
	at := func(n uint16) int {
		if i, ok := t.Slot[query.Ref{Term: g.Nodes[n].Term, Sub: g.Nodes[n].Sub}]; ok {
			return i
		}
		return -1
	}
	for i := 2; i < len(g.Nodes); i++ {
		for _, next := range g.Nodes[i].Succ {
			if next == query.End || !rule.Adjacent(&t.Scope.Terms[g.Nodes[i].Term], &t.Scope.Terms[g.Nodes[next].Term]) {
				continue
			}
			if !f([2]int{at(uint16(i)), at(next)}) {
				return
			}
		}
	}
}

func (t *Features) covers(g *query.Graph) bool {
	for i := 2; i < len(g.Nodes); i++ {
		if _, ok := t.Slot[query.Ref{Term: g.Nodes[i].Term, Sub: g.Nodes[i].Sub}]; !ok {
			return false
		}
	}
	ok := true
	t.eachPair(g, func(p [2]int) bool {
		_, ok = t.Pair[p]
		return ok
	})
	return ok
}

// holds reports whether all documents of a set have rows.
func (t *Features) holds(set docset.Set) bool {
	if set.Len() > len(t.Ords) {
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
func (t *Features) row(ord uint32, from int) (int, bool) {
	step := 1
	lo := from
	for lo+step < len(t.Ords) && t.Ords[lo+step] <= ord {
		lo += step
		step *= 2
	}
	i, ok := slices.BinarySearch(t.Ords[lo:min(lo+step, len(t.Ords))], ord)
	return lo + i, ok
}

// Rows returns the rows of the documents of a set, ascending.
func (t *Features) Rows(set docset.Set) []int32 {
	rows := make([]int32, 0, set.Len())
	if set.Len() == len(t.Ords) {
		for i := range t.Ords {
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
func (t *Features) fill(set docset.Set) error {
	n := len(t.Ords)
	t.Weight = make([]uint32, n*len(t.Refs))
	t.Distance = make([]uint32, n*len(t.Refs))
	t.Near = make([]uint8, n*len(t.Pairs))
	t.member = make([]query.Bits, len(t.Refs))
	x := Extractor{Features: t, Doc: Document{Scope: t.Scope}, Nodes: make([]NodePlaces, len(t.Refs))}
	for i, ref := range t.Refs {
		leaf, err := t.Scope.Leaf(ref)
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
		if err := x.Prepare(&x.Nodes[i], ref); err != nil {
			return err
		}
	}
	row := 0
	return t.Scope.EachRecord(set, func(ord uint32, tokens record.Tokens) bool {
		for t.Ords[row] != ord {
			t.blank(row)
			row++
		}
		x.Doc.Tokens = tokens
		x.read(row, ord)
		row++
		return true
	})
}

// blank marks a row without record as matching nothing.
func (t *Features) blank(row int) {
	for i := range t.Refs {
		t.Weight[row*len(t.Refs)+i], t.Distance[row*len(t.Refs)+i] = columns.Absent, columns.Absent
	}
	for i := range t.Pairs {
		t.Near[row*len(t.Pairs)+i] = rule.FarProximity
	}
}

// IsMember reports whether the document of a row matches the node of a slot.
func (t *Features) IsMember(slot int, row int32) bool {
	return t.member[slot][row>>6]&(1<<(row&63)) != 0
}
