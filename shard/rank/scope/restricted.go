package scope

import (
	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
)

// Restrict limits the search to some fields (spec ranking 5.11).
func (s *Scope) Restrict(fields []uint16) {
	s.Restricted = true
	s.fields = make([]bool, len(s.Schema.Weight))
	for _, fid := range fields {
		if int(fid) >= len(s.fields) {
			continue
		}
		s.fields[fid] = true
		s.coarse = s.coarse || fid >= columns.OtherFields
		s.anyField |= columns.FieldBit(fid)
		if !s.Schema.exactField(fid) {
			s.tolerantField |= columns.FieldBit(fid)
		}
	}
}

// restrictedSingles returns the documents of a scope with a single word or the cached
// prefix of a node in a searched field. Derived words do not count in exact fields.
func (s *Scope) restrictedSingles(ref query.Ref, scope docset.Set) (docset.Set, error) {
	t := &s.Terms[ref.Term]
	keys, plain := s.NodeKeys(ref)
	var sets []docset.Set
	for i, key := range keys {
		derived := (i > 0 || !plain || t.IsNgram()) && !query.IsInfixForm(key.Text)
		set, err := s.InFields(key, derived, scope)
		if err != nil {
			return docset.Set{}, err
		}
		if !set.Empty() {
			sets = append(sets, set)
		}
	}
	return docset.Union(sets...), nil
}

// InFields returns the documents of a scope with a word, or a word of a prefix range,
// in a searched field. For derived words, exact fields do not count.
func (s *Scope) InFields(key columns.Key, derived bool, scope docset.Set) (docset.Set, error) {
	all, err := s.columnDocs(key)
	if err != nil {
		return docset.Set{}, err
	}
	docs := all.And(scope)
	if docs.Empty() {
		return docs, nil
	}
	var found, unknown docset.Set
	err = s.Reading(func(cols *columns.Columns) error {
		ahead := cols.Ahead()
		found, unknown = docset.Set{}, docs
		if docs.Len() >= columns.MinDocs && !s.coarse {
			if found, unknown, err = s.spreadInFields(cols, key, derived, docs, ahead); err != nil {
				return err
			}
		}
		if !query.IsInfixForm(key.Text) { // word order does not have these forms
			var more docset.Set
			more, unknown = cols.InFields(key, func(f uint16) bool { return s.counts(f, derived) }, unknown, ahead)
			found = found.Or(more)
		}
		return nil
	})
	if err != nil {
		return docset.Set{}, err
	}
	read, err := s.keep(unknown, func(d *Document) bool { return d.hasInFields(key, derived) })
	return found.Or(read), err
}

// spreadInFields is InFields by the columns of the words. All of docs have one of them. For
// those of unknown, the columns are not sufficient.
func (s *Scope) spreadInFields(cols *columns.Columns, key columns.Key, derived bool, docs docset.Set, ahead *columns.Ahead) (found, unknown docset.Set, err error) {
	sp, unknown, err := cols.Spread(s, []columns.Key{key}, docs, ahead)
	if err != nil {
		return found, unknown, err
	}
	mask := s.anyField
	if derived {
		mask = s.tolerantField
	}
	var sets []docset.Set
	for bit := range int(columns.OtherFields) {
		if mask>>bit&1 != 0 {
			sets = append(sets, sp.InField(bit))
		}
	}
	return docs.AndNot(unknown).AndAny(sets), unknown, nil
}

// counts reports whether a word counts in a field. Derived words do not in exact fields.
func (s *Scope) counts(fid uint16, derived bool) bool {
	return s.Searched(fid) && !(derived && s.Schema.exactField(fid))
}

// inSearched returns the documents of a set with each of some words in a searched field. All
// have the words.
func (s *Scope) inSearched(words []string, set docset.Set) (docset.Set, error) {
	if !s.Restricted {
		return set, nil
	}
	for _, w := range words {
		var err error
		if set, err = s.InFields(columns.Key{Text: w}, false, set); err != nil {
			return docset.Set{}, err
		}
	}
	return set, nil
}

// hasInFields asks the record.
func (d *Document) hasInFields(key columns.Key, derived bool) bool {
	found := false
	d.eachWord(key, func(e record.Entry) bool {
		found = d.entryInFields(e, derived)
		return !found
	})
	return found
}

// eachWord calls f for the words of the record that match a key, until f returns false.
func (d *Document) eachWord(key columns.Key, f func(e record.Entry) bool) {
	if !key.Prefix {
		if e, ok := d.Tokens.Find(key.Text); ok {
			f(e)
		}
		return
	}
	d.cursor.Reset(d.Tokens)
	for ok := d.cursor.Seek(key.Text); ok && hasPrefix(d.cursor.Word(), key.Text); ok = d.cursor.Next() {
		if key.Last != "" && string(d.cursor.Word()) > key.Last || !f(d.cursor.Entry) {
			return
		}
	}
}

// SearchedMask returns the searched fields as columns distinguish them.
func (s *Scope) SearchedMask() (mask uint32) {
	for fid := range s.Schema.Weight {
		if s.Searched(uint16(fid)) {
			mask |= columns.FieldBit(uint16(fid))
		}
	}
	return mask
}
