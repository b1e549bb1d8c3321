package topk

import (
	"shoal/query"
	"shoal/query/rule"
)

// neighbours reports whether some terms are neighbours, so that proximity counts.
func (t *top) neighbours() bool {
	for k := 1; k < len(t.terms); k++ {
		if rule.Adjacent(t.terms[k-1], t.terms[k]) {
			return true
		}
	}
	return false
}

// leastNear is the cost of the rule proximity if every pair is as near as possible.
func (t *top) leastNear() uint32 { return t.nearest }

// nearestOf is leastNear of some terms.
func nearestOf(terms []*query.Term) uint32 {
	sum := uint32(0)
	for _, term := range terms {
		sum += uint32(term.Size() - 1)
	}
	return sum
}

// nearCost returns the cost of the rule proximity.
func (t *top) nearCost(int, uint32) (cost uint32, ok bool) {
	x := &t.extract
	cost = t.nearest
	for k := 1; k < len(x.Nodes); k++ {
		if rule.Adjacent(t.terms[k-1], t.terms[k]) {
			cost += uint32(x.Near(&x.Nodes[k-1], &x.Nodes[k]))
		}
	}
	return cost, true
}
