package topk

import (
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
)

// weighs reports whether fields differ in weight. If not, all documents are equal: each
// has every node in a searched field (members).
func (t *top) weighs() bool { return t.s.Schema.MaxWeight > 0 }

// weightCosts lists the weights of searched fields for a node.
func (t *top) weightCosts(k int) (list []costSet, err error) {
	size := uint32(t.terms[k].Size())
	for w := range t.s.Schema.MaxWeight + 1 {
		var bits []int
		for fid := range min(len(t.s.Schema.Weight), int(columns.OtherFields)) {
			if got, ok := t.s.Schema.FieldWeight(uint16(fid)); ok && got == w && t.s.Searched(uint16(fid)) {
				bits = append(bits, fid)
			}
		}
		if len(bits) > 0 {
			list = append(list, costSet{w * size, func(docs docset.Set) docset.Set {
				sets := make([]docset.Set, len(bits))
				for i, bit := range bits {
					sets[i] = t.spreads[k].InField(bit)
				}
				return docs.AndAny(sets)
			}})
		}
	}
	return list, nil
}

// divideWeights divides a cell by the rule attribute rank.
func (t *top) divideWeights(i int, c cell, visit visit) bool {
	if !t.weighs() {
		return visit(c.docs, 0)
	}
	return t.divideNodes(i, c, visit)
}

// weightCost returns the cost of the rule attribute rank.
func (t *top) weightCost(int, uint32) (cost uint32, ok bool) {
	if !t.weighs() {
		return 0, true
	}
	x := &t.extract
	for k := range x.Nodes {
		weight, _ := x.Best(&x.Nodes[k])
		if weight == columns.Absent {
			return 0, false
		}
		cost += weight
	}
	return cost, true
}
