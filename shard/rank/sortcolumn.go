package rank

import (
	"slices"

	"shoal/query"
	"shoal/wire"
)

// sortColumn ranks all documents by their value in a field: equal values have
// equal ranks, documents without value the last one.
type sortColumn struct{ ranks []uint32 } // by ordinal

// sortKey names a sort column.
type sortKey struct {
	field uint16
	desc  bool
}

// SortColumnShare is the part of all documents, as a divisor, from which on a set
// is worth a sort column at once. It changes no answer; tests set it.
var SortColumnShare = 4

// sorts finds the columns of the Sort rules for a set of n documents; ok is false
// when the shard would rather sort bucket by bucket.
func (t *top) sorts(n int) (ok bool, err error) {
	t.sorted = make([]*sortColumn, len(t.rules))
	for i, rule := range t.rules {
		if rule.Kind != query.Sort {
			continue
		}
		field, known := t.s.schema.FieldID(rule.Field)
		if !known {
			continue // all documents are equal
		}
		if t.sorted[i], err = t.s.sortColumn(sortKey{field, rule.Desc}, n); err != nil || t.sorted[i] == nil {
			return false, err
		}
	}
	return true, nil
}

// fromSort adds the ranks of a Sort rule.
func (t *top) fromSort(rule int) {
	c := t.sorted[rule]
	if c == nil {
		return
	}
	for i, ord := range t.ords {
		t.add(rule, i, c.ranks[ord])
	}
}

// sortColumn returns a column for n documents: the kept one, or a new one if that
// is worth it; nil otherwise.
func (s *Session) sortColumn(key sortKey, n int) (*sortColumn, error) {
	memo, live := s.ix.Memo(), s.ix.Live().Len()
	c, worth := memo.sortColumn(s.schema, key, n, live)
	if c != nil || !worth || live >= 1<<query.SortKeyBits {
		return c, nil
	}
	type placed struct {
		ord   uint32
		value wire.SortValue
	}
	list := make([]placed, 0, live)
	var err error
	s.ix.Live().Each(func(ord uint32) bool {
		var v wire.SortValue
		if v, err = s.fieldValue(ord, key.field, key.desc); err == nil {
			list = append(list, placed{ord, v})
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b placed) int { return wire.CompareSort(a.value, b.value, key.desc) })
	last, _ := s.ix.Live().Max()
	c = &sortColumn{ranks: make([]uint32, last+1)}
	rank := uint32(0)
	for i, p := range list {
		if i > 0 && wire.CompareSort(list[i-1].value, p.value, false) != 0 {
			rank++
		}
		c.ranks[p.ord] = rank
	}
	memo.putSortColumn(s.schema, key, c)
	return c, nil
}

// sortColumn returns a kept column, or tells whether making one is worth it for a
// set of n of live documents: when the set is large, or when as many documents
// were sorted without it as there are.
func (m *Memo) sortColumn(s *Schema, key sortKey, n, live int) (kept *sortColumn, worth bool) {
	if m == nil {
		return nil, false
	}
	c := &m.columns
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reset(s)
	if kept = c.sorts[key]; kept != nil {
		return kept, true
	}
	c.sorting += n
	return nil, n*SortColumnShare >= live || c.sorting >= live
}

func (m *Memo) putSortColumn(s *Schema, key sortKey, col *sortColumn) {
	c := &m.columns
	c.mu.Lock()
	defer c.mu.Unlock()
	if size := 4 * len(col.ranks); c.schema == s && c.bytes+size <= maxColumnBytes {
		c.sorts[key] = col
		c.bytes += size
	}
}
