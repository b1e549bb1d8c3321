package topk

import (
	"shoal/shard/docset"
)

const (
	// aheadGroups is the number of document groups that one read-ahead of column pieces
	// covers; aheadOrders is the number of documents for word order.
	aheadGroups, aheadOrders = 8, 64
)

// readAhead reads column pieces for the groups from i on, several blocks at a time. It
// reads what the previous group needed. It returns the first group that it did not
// cover.
func (t *top) readAhead(groups []docset.Set, i int) (until int) {
	if !t.ahead.Cold() {
		return i
	}
	until = min(i+aheadGroups, len(groups))
	docs := docset.Union(groups[i:until]...).And(t.columns.Covered())
	for k := range t.keys {
		t.ahead.Names(t.columns, t.keys[k].list, docs)
	}
	if !t.ahead.Read() {
		return until
	}
	for k, sp := range t.spreads {
		if sp != nil {
			fields, places := sp.Asked()
			t.ahead.Spread(t.columns, t.keys[k].list, docs, fields, places)
		}
	}
	t.ahead.Read()
	return until
}

// each calls f for documents in ascending order until f returns false. If their word
// order will be followed, it is read ahead.
func (t *top) each(set docset.Set, ordered bool, f func(ord uint32) bool) {
	if !ordered || !t.placed || !t.ahead.Cold() {
		set.Each(f)
		return
	}
	next := make([]uint32, 0, aheadOrders)
	flush := func() bool {
		t.readOrders(next)
		for _, ord := range next {
			if !f(ord) {
				return false
			}
		}
		next = next[:0]
		return true
	}
	whole := true
	set.Each(func(ord uint32) bool {
		if next = append(next, ord); len(next) == aheadOrders {
			whole = flush()
		}
		return whole
	})
	if whole {
		flush()
	}
}

// readOrders reads ahead the word order of documents.
func (t *top) readOrders(ords []uint32) {
	for _, ord := range ords {
		t.ahead.Order(t.columns, ord)
	}
	t.ahead.Read()
}
