package rank

import "shoal/shard/docset"

// exactAttribute adds the costs of the rule exact attribute: 2 for documents that
// lack a word of the query at its place, or have them in different fields; of the
// others 0 for those with a field that has all words and no more, else 1. Columns
// tell all of it; without them records tell about the documents that have all
// words.
func (t *top) exactAttribute(rule int, set docset.Set) error {
	t.words, t.positions = t.s.exactWords(t.g)
	t.addToAll(rule, 2)
	if len(t.words) == 0 {
		return nil
	}
	columns := make([]*column, 0, len(t.words))
	for _, w := range t.words {
		docs, err := t.s.word(w.word, false)
		if err != nil {
			return err
		}
		if set = set.And(docs); set.Empty() {
			return nil
		}
		c, err := t.s.keptColumn(columnKey{text: w.word})
		if err != nil {
			return err
		}
		if c != nil && !t.s.restricted {
			columns = append(columns, c)
		}
	}
	if len(columns) == len(t.words) {
		return t.exactFromColumns(rule, columns)
	}
	t.maybe = make([]bool, len(t.ords))
	t.eachOf(set, func(i int) {
		t.maybe[i] = true
		t.keys[i] -= 2 << t.shift[rule]
	})
	t.lazy = append(t.lazy, rule)
	return nil
}

// exactFromColumns lowers the cost of the documents that have all words at their
// places and in one field. Where fields cannot be told apart, what is known is the
// least cost, and records tell.
func (t *top) exactFromColumns(rule int, columns []*column) error {
	unit := uint64(1) << t.shift[rule]
	fields := t.shared(columns)
	unsure := false
	for i, mask := range fields {
		if mask != 0 {
			t.keys[i] -= unit
			unsure = unsure || mask&(1<<OtherFields) != 0
		}
	}
	if t.positions <= maxCounted {
		if err := t.lowerCounted(unit, fields); err != nil {
			return err
		}
	}
	if !unsure {
		return nil
	}
	t.maybe = make([]bool, len(t.ords))
	for i, mask := range fields {
		t.maybe[i] = mask&(1<<OtherFields) != 0
	}
	t.lazy = append(t.lazy, rule)
	return nil
}

// shared returns for each document the fields that have all words, if each stands
// at its place in some field; else 0.
func (t *top) shared(columns []*column) []uint32 {
	out := make([]uint32, len(t.ords))
	for k, c := range columns {
		bit := bucketBit(t.words[k].position)
		at := 0
		for i, ord := range t.ords {
			for at < len(c.ords) && c.ords[at] < ord {
				at++
			}
			mask := uint32(0)
			if at < len(c.ords) && c.ords[at] == ord && c.places[at]&bit != 0 {
				mask = c.fields[at]
			}
			if k == 0 {
				out[i] = mask
			} else {
				out[i] &= mask
			}
		}
	}
	return out
}

// lowerCounted lowers the cost of the documents in which one of the given fields
// has as many words as the query has positions.
func (t *top) lowerCounted(unit uint64, fields []uint32) error {
	done := make([]bool, len(t.ords))
	all := uint32(0)
	var having []int32
	for i, mask := range fields {
		if all |= mask; mask != 0 {
			having = append(having, int32(i))
		}
	}
	for fid := range t.s.schema.weight {
		if !t.s.searched(uint16(fid)) {
			continue
		}
		bit := fieldBit(uint16(fid))
		if all&bit == 0 {
			continue
		}
		set, err := t.s.ix.FieldCount(uint16(fid), t.positions)
		if err != nil {
			return err
		}
		lower := func(i int) {
			if fields[i]&bit != 0 && !done[i] {
				done[i] = true
				t.keys[i] -= unit
			}
		}
		if len(having)*gallop > set.Len() {
			t.eachOf(set, lower)
			continue
		}
		for _, i := range having {
			if set.Contains(t.ords[i]) {
				lower(int(i))
			}
		}
	}
	return nil
}
