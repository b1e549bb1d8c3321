package rank

import (
	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/record"
)

// restrict limits the search to some fields (spec ranking 5.11).
func (s *Scope) restrict(fields []uint16) {
	s.restricted = true
	s.fields = make([]bool, len(s.schema.weight))
	for _, fid := range fields {
		if int(fid) >= len(s.fields) {
			continue
		}
		s.fields[fid] = true
		s.coarse = s.coarse || fid >= OtherFields
		s.anyField |= fieldBit(fid)
		if !s.schema.exactField(fid) {
			s.tolerantField |= fieldBit(fid)
		}
	}
}

// restrictedSingles returns the documents of a scope with a single word or the
// cached prefix of a node in a searched field. Derived words count in fields that
// are not exact.
func (s *Scope) restrictedSingles(ref query.Ref, scope docset.Set) (docset.Set, error) {
	t := &s.terms[ref.Term]
	keys, plain := s.nodeKeys(ref)
	var sets []docset.Set
	for i, key := range keys {
		set, err := s.inFields(key, i > 0 || !plain || t.IsNgram(), scope)
		if err != nil {
			return docset.Set{}, err
		}
		if !set.Empty() {
			sets = append(sets, set)
		}
	}
	return docset.Union(sets...), nil
}

// inFields returns the documents of a scope with a word, or a word of a prefix
// range, in a searched field; for derived words in one that is not exact.
func (s *Scope) inFields(key columnKey, derived bool, scope docset.Set) (docset.Set, error) {
	all, err := s.columnDocs(key)
	if err != nil {
		return docset.Set{}, err
	}
	docs := all.And(scope)
	if docs.Len() < ColumnMin || s.coarse {
		return s.keep(docs, func(d *document) bool { return d.hasInFields(key, derived) })
	}
	mask := s.anyField
	if derived {
		mask = s.tolerantField
	}
	var found, unknown docset.Set
	err = s.reading(func(columns *Columns) error {
		var sp *spread
		if sp, unknown, err = columns.spread(s, []columnKey{key}, docs); err != nil {
			return err
		}
		var sets []docset.Set
		for bit := range int(OtherFields) {
			if mask>>bit&1 != 0 {
				sets = append(sets, sp.inField(bit))
			}
		}
		found = docs.AndNot(unknown).AndAny(sets)
		return nil
	})
	if err != nil {
		return docset.Set{}, err
	}
	read, err := s.keep(unknown, func(d *document) bool { return d.hasInFields(key, derived) })
	return found.Or(read), err
}

// hasInFields asks the record.
func (d *document) hasInFields(key columnKey, derived bool) bool {
	found := false
	d.eachWord(key, func(e record.Entry) bool {
		found = d.entryInFields(e, derived)
		return !found
	})
	return found
}

// eachWord calls f for the words of the record that a key names until it returns
// false.
func (d *document) eachWord(key columnKey, f func(e record.Entry) bool) {
	if !key.prefix {
		if e, ok := d.tokens.Find(key.text); ok {
			f(e)
		}
		return
	}
	d.cursor.Reset(d.tokens)
	for ok := d.cursor.Seek(key.text); ok && hasPrefix(d.cursor.Word(), key.text); ok = d.cursor.Next() {
		if key.last != "" && string(d.cursor.Word()) > key.last || !f(d.cursor.Entry) {
			return
		}
	}
}

// searchedMask is the set of searched fields, as columns tell them apart.
func (s *Scope) searchedMask() (mask uint32) {
	for fid := range s.schema.weight {
		if s.searched(uint16(fid)) {
			mask |= fieldBit(uint16(fid))
		}
	}
	return mask
}
