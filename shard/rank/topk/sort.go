package topk

import (
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/scope"
)

// sorts finds the columns of the Sort rules for a set of n documents; ok is false
// when the shard would rather sort bucket by bucket.
func (t *top) sorts(n int) (ok bool, err error) {
	t.sorted = make([]*scope.SortColumn, len(t.rules))
	for i, r := range t.rules {
		if r.Kind != rule.Sort {
			continue
		}
		field, known := t.s.Schema.FieldID(r.Field)
		if !known {
			continue // all documents are equal
		}
		if t.sorted[i], err = t.s.SortColumn(scope.SortKey{Field: field, Desc: r.Desc}, n); err != nil || t.sorted[i] == nil {
			return false, err
		}
	}
	return true, nil
}

// divideSorted divides a set by a Sort rule: the documents of the least ranks are
// found and put in order, ever more of them as long as they are asked for.
func (t *top) divideSorted(rule int, docs docset.Set, visit func(docset.Set, uint32) bool) bool {
	c := t.sorted[rule]
	if c == nil {
		return visit(docs, 0)
	}
	from := uint32(0)
	for chunk := max(2*t.best.max, scope.SortChunk); ; chunk *= 4 {
		list, more := scope.LeastRanks(c.Ranks, docs, from, chunk)
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
