package topk

import (
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
)

// distanceCosts lists the costs of a node by the distance of its words from their place
// in the query.
func (t *top) distanceCosts(k int) (list []costSet, err error) {
	p := columns.NewPositionCosts(t.terms[k])
	for i, mask := range p.Masks {
		list = append(list, costSet{p.Costs[i], func(docs docset.Set) docset.Set { return t.spreads[k].AtPlaces(mask, docs) }})
	}
	return list, nil
}

// distanceCost returns the cost of the rule word position.
func (t *top) distanceCost(int, uint32) (cost uint32, ok bool) {
	x := &t.extract
	for k := range x.Nodes {
		_, distance := x.Best(&x.Nodes[k])
		if distance == columns.Absent {
			return 0, false
		}
		cost += columns.PositionCost(distance, uint32(t.terms[k].Size()))
	}
	return cost, true
}
