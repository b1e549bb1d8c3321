package rule

import (
	"slices"

	"shoal/query"
)

// Strategy is the request's matchingStrategy.
type Strategy uint8

// The matching strategies (spec ranking 4).
const (
	Last Strategy = iota
	All
	Frequency
)

// ParseStrategy returns the strategy of that name.
func ParseStrategy(name string) (Strategy, bool) {
	switch name {
	case "", "last":
		return Last, true
	case "all":
		return All, true
	case "frequency":
		return Frequency, true
	}
	return Last, false
}

// Removal is the order in which a matching strategy drops nodes of a graph.
type Removal struct {
	// Groups are dropped one after the other. Groups[i] holds the nodes of the first i+1
	// groups together.
	Groups []query.Bits
	// group is 1 + the index of the node's group, 0 for nodes that are never dropped.
	group []uint16
}

// Removable tells whether the strategy may drop node n.
func (r *Removal) Removable(n uint16) bool { return r != nil && r.group[n] != 0 }

// Earlier returns the nodes that are dropped before node n. A path that drops n must not
// visit them later.
func (r *Removal) Earlier(n uint16) query.Bits {
	if g := r.group[n]; g > 1 {
		return r.Groups[g-2]
	}
	return nil
}

// All returns every node that can be dropped.
func (r *Removal) All() query.Bits {
	if len(r.Groups) == 0 {
		return nil
	}
	return r.Groups[len(r.Groups)-1]
}

// NewRemoval computes the removal order of a graph. frequency has, for each term id, the
// number of documents that match any node covering it, without filter. It is only read for
// Frequency.
func NewRemoval(g *query.Graph, terms []query.Term, strategy Strategy, frequency []uint64) *Removal {
	r := &Removal{group: make([]uint16, len(g.Nodes))}
	cost := idCosts(g, terms, strategy, frequency)
	if cost == nil {
		return r
	}
	byCost := make(map[int][]uint16)
	mandatory := false
	for i := 2; i < len(g.Nodes); i++ {
		n := &g.Nodes[i]
		t := &terms[n.Term]
		if t.HasPhrase(n.Sub) || n.Sub&query.Mandatory != 0 {
			mandatory = true
			continue
		}
		c := 0
		for id := t.FirstID; id <= t.LastID; id++ {
			c = max(c, cost[id])
		}
		byCost[c] = append(byCost[c], uint16(i))
	}
	costs := make([]int, 0, len(byCost))
	for c := range byCost {
		costs = append(costs, c)
	}
	slices.Sort(costs)
	if !mandatory && len(costs) > 0 {
		costs = costs[:len(costs)-1]
	}
	sum := query.NewBits(len(g.Nodes))
	for i, c := range costs {
		for _, n := range byCost[c] {
			sum.Add(n)
			r.group[n] = uint16(i + 1)
		}
		r.Groups = append(r.Groups, slices.Clone(sum))
	}
	return r
}

// idCosts returns the removal cost of every term id, nil if none may be dropped.
func idCosts(g *query.Graph, terms []query.Term, strategy Strategy, frequency []uint64) []int {
	first, last := 255, 0
	for i := 2; i < len(g.Nodes); i++ {
		t := &terms[g.Nodes[i].Term]
		first, last = min(first, int(t.FirstID)), max(last, int(t.LastID))
	}
	if len(g.Nodes) == 2 {
		return nil
	}
	costs := make([]int, last+1)
	switch strategy {
	case Last:
		if first >= last {
			return nil
		}
		for id := range costs {
			costs[id] = 1 + last - id
		}
		return costs
	case Frequency:
		return frequencyCosts(g, terms, costs, frequency)
	}
	return nil
}

// frequencyCosts ranks the term ids of the graph by falling number of documents. Equal
// numbers share a rank, and 0 documents count as the most.
func frequencyCosts(g *query.Graph, terms []query.Term, costs []int, frequency []uint64) []int {
	ids := make([]int, 0, len(costs))
	for i := 2; i < len(g.Nodes); i++ {
		t := &terms[g.Nodes[i].Term]
		for id := t.FirstID; id <= t.LastID; id++ {
			ids = append(ids, int(id))
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	count := func(id int) uint64 {
		if id >= len(frequency) || frequency[id] == 0 {
			return ^uint64(0)
		}
		return frequency[id]
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		x, y := count(a), count(b)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	rank := 1
	for i, id := range ids {
		if i > 0 && count(ids[i-1]) != count(id) {
			rank++
		}
		costs[id] = rank
	}
	return costs
}
