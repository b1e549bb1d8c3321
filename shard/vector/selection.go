package vector

import (
	"shoal/query/filter"
	"shoal/shard/record"
)

// Selection is a condition on the vectors of documents.
type Selection struct {
	Kind filter.FilterVectorKind
	// Store is the store of the fragment, for VectorFragment.
	Store int
	// Embedder reports whether the condition concerns an embedder.
	Embedder func(name string) bool
}

// Select adds the documents of a block that a condition selects.
func (t *Table) Select(number int, cache *Cache, source Source, s *Selection, add func(uint32)) error {
	rows, err := t.Rows(number, nil, cache, source)
	if err != nil {
		return err
	}
	if rows == nil {
		return source.VisitVectors(blockRows(uint32(number)), func(ord uint32, stored []byte) error {
			return record.EachStored(stored, func(e *record.StoredEmbedding) {
				if s.Embedder(string(e.Name)) && s.takes(flagsOf(e), e.Len(), func(i int) int { return e.Store(i) }) {
					add(ord)
				}
			})
		})
	}
	defer cache.release(rows)
	for key, c := range rows.columns {
		if !s.Embedder(key.Embedder) {
			continue
		}
		for i, ord := range c.ords {
			own := c.stores[c.from[i]:c.from[i+1]]
			if s.takes(c.flags[i], len(own), func(i int) int { return int(own[i]) }) {
				add(ord)
			}
		}
	}
	return nil
}

// takes reports whether the condition selects a document with n vectors. Opting out
// counts as user provided; all other kinds need a vector.
func (s *Selection) takes(flags uint8, n int, store func(i int) int) bool {
	user, has := flags&columnUser != 0, n > 0
	switch s.Kind {
	case filter.VectorUserProvided:
		return user
	case filter.VectorRegenerate:
		return has && flags&columnRegenerate != 0
	case filter.VectorDocumentTemplate:
		return has && !user
	case filter.VectorFragment:
		for i := range n {
			if !user && store(i) == s.Store {
				return true
			}
		}
		return false
	}
	return has
}
