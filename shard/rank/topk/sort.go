package topk

import (
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// openSort finds the column of a Sort rule for a set of n documents. Without a column,
// the shard prefers to sort bucket by bucket.
func (t *top) openSort(i, n int) (ok bool, err error) {
	r := t.rules[i]
	field, known := t.s.Schema.FieldID(r.Field)
	if !known {
		return true, nil // all documents are equal
	}
	t.sorted[i], err = t.s.SortColumn(t.ctx, scope.SortKey{Field: field, Desc: r.Desc}, n)
	return err == nil && t.sorted[i] != nil, err
}

// divideSorted divides a cell by a Sort rule. It finds and sorts the documents of the
// least ranks, in growing chunks while more are needed.
func (t *top) divideSorted(i int, c cell, visit visit) bool {
	column := t.sorted[i]
	if column == nil {
		return visit(c.docs, 0)
	}
	from := uint32(0)
	for chunk := max(2*t.best.max, scope.SortChunk); ; chunk *= 4 {
		list, more := scope.LeastRanks(column.Ranks, c.docs, from, chunk)
		for i := 0; i < len(list); {
			rank := list[i] >> 32
			var b docset.Builder
			for ; i < len(list) && list[i]>>32 == rank; i++ {
				b.Add(uint32(list[i]))
			}
			if !visit(b.Set(), uint32(rank)) {
				return false
			}
		}
		if !more {
			return true
		}
		from = uint32(list[len(list)-1]>>32) + 1
	}
}

// rankCost returns the rank of a document among all values.
func (t *top) rankCost(i int, ord uint32) (cost uint32, ok bool) {
	if c := t.sorted[i]; c != nil {
		cost = c.Ranks[ord]
	}
	return cost, true
}

// sortValue returns the value that a document is sorted by.
func (t *top) sortValue(ord uint32, r rule.Rule) (wire.SortValue, error) {
	return t.s.SortValue(ord, r)
}
