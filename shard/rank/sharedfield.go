package rank

import (
	"shoal/query"
	"shoal/shard/docset"
)

// quick finds the ranked documents of a condition from columns: matched are some
// of them, of read the records have to tell. It comes after note.
//
// Single words of two nodes meet where both stand in one searched field and the
// document was there when their pairs were first asked for; the columns do not tell
// which words of a node stand there, so all pairs must have been asked for at once.
func (a *attributeRule) quick(m *meeting) (matched, read docset.Set, err error) {
	docs := a.left.And(m.left.docs).And(m.right.docs)
	if docs.Len() < ColumnMin || m.left.prefix != "" {
		return docset.Set{}, docs, nil
	}
	singles, rights := wordSet{of: m.left, without: m.absent}, wordSet{of: m.right}
	within, ok := reach(m.f.plain, &singles, &rights, a.left)
	if ok && m.index >= 1 {
		var back docset.Set
		back, ok = reach(m.f.plain, &rights, &singles, a.left)
		within = within.Or(back)
	}
	ahead := docset.Set{}
	if prefix := oneWord(m.right.prefix); ok && m.right.prefix != "" {
		ahead, ok = reach(m.f.prefixed, &singles, &prefix, a.left)
	}
	if !ok {
		return docset.Set{}, docs, nil
	}
	mask := a.s.searchedMask()
	words, prefix := m.right.keys()
	left, _ := m.left.keys()
	matched, read, err = shareColumns(a.s, left, words, docs, mask)
	if err != nil {
		return matched, read, err
	}
	matched = matched.And(within)
	if prefix != nil {
		more, unknown, err := shareColumns(a.s, left, prefix, docs, mask)
		if err != nil {
			return matched, read, err
		}
		whole, err := a.s.word(m.right.prefix, false) // which may match behind left, too
		if err != nil {
			return matched, read, err
		}
		matched, read = matched.Or(more.And(ahead)), docset.Union(read, unknown, whole.And(docs))
	}
	read, err = a.exceptions(m, docs, read)
	return matched, read.AndNot(matched), err
}

// exceptions adds to a set those documents that may match by a phrase, or by a pair
// that was asked for without ranking.
func (a *attributeRule) exceptions(m *meeting, docs, read docset.Set) (docset.Set, error) {
	sets := []docset.Set{read}
	add := func(w string, with docset.Set) error {
		set, err := a.s.word(w, false)
		sets = append(sets, set.And(with))
		return err
	}
	for _, p := range m.left.phrases {
		if err := add(p[len(p)-1], docs); err != nil {
			return read, err
		}
	}
	for _, p := range m.right.phrases {
		if err := add(p[0], docs); err != nil {
			return read, err
		}
	}
	for l, r := range m.f.unranked(m.touched) {
		if !m.left.has(l) || !m.right.has(r) {
			l, r = r, l
		}
		if !m.left.has(l) || !m.right.has(r) {
			continue
		}
		set, err := a.s.word(l, false)
		if err == nil {
			err = add(r, set.And(docs))
		}
		if err != nil {
			return read, err
		}
	}
	return docset.Union(sets...), nil
}

// reach returns the documents of ranked that were there when the pairs of two sets
// of words were first asked for; ok is false when that differs from pair to pair.
func reach(list []sighting, left, right *wordSet, ranked docset.Set) (within docset.Set, ok bool) {
	some := false // some pairs were asked for among all that is ranked
	for i := range list {
		e := &list[i]
		if !e.left.meets(left) || !e.right.meets(right) {
			continue
		}
		all := ranked.AndNot(e.within).Empty()
		if e.left.covers(left) && e.right.covers(right) {
			return e.within, all || !some
		}
		if !all {
			return docset.Set{}, false
		}
		some = true
	}
	return docset.Set{}, !some
}

// meets tells whether two sets may have a word in common.
func (w *wordSet) meets(v *wordSet) bool {
	switch {
	case w.of == nil:
		return v.has(w.one)
	case v.of == nil:
		return w.has(v.one)
	case w.of.term == v.of.term && w.of.sub&v.of.sub&^query.Mandatory != 0:
		return true
	}
	few, many := w, v
	if len(few.of.words) > len(many.of.words) {
		few, many = v, w
	}
	for _, word := range few.of.words {
		if few.has(word) && many.has(word) {
			return true
		}
	}
	return false
}

// keys names the single words of a node, and the words of its cached prefix.
func (d *side) keys() (words, prefix []columnKey) {
	if d.sub&(query.Zero|query.ExactForm) != 0 && !d.term.IsPhrase() {
		if d.prefix != "" {
			prefix = []columnKey{{text: d.prefix, prefix: true}}
		}
		if d.extended() {
			words = append(words, columnKey{text: d.term.Text, prefix: true, last: lastExtension(d.term)})
		} else if d.term.Known {
			words = append(words, columnKey{text: d.term.Text})
		}
	}
	for i := range d.found {
		words = append(words, columnKey{text: d.found[i].word})
	}
	return words, prefix
}

// shareColumns returns the documents in which a word of left and one of right stand
// in one of some fields, as far as columns tell.
func shareColumns(s *Scope, left, right []columnKey, docs docset.Set, mask uint32) (shared, unknown docset.Set, err error) {
	err = s.reading(func(columns *Columns) (err error) {
		shared, unknown, err = shareIn(s, columns, left, right, docs, mask)
		return err
	})
	return shared, unknown, err
}

func shareIn(s *Scope, cols *Columns, left, right []columnKey, docs docset.Set, mask uint32) (shared, unknown docset.Set, err error) {
	l, unknown, err := cols.spread(s, left, docs)
	if err != nil {
		return shared, unknown, err
	}
	r, more, err := cols.spread(s, right, docs)
	if err != nil {
		return shared, unknown, err
	}
	unknown = unknown.Or(more)
	known := docs.AndNot(unknown)
	var sets []docset.Set
	for bit := range int(OtherFields) {
		if mask>>bit&1 != 0 {
			sets = append(sets, l.inField(bit).And(known).And(r.inField(bit)))
		}
	}
	if mask>>OtherFields&1 != 0 { // one bit for several fields
		unknown = unknown.Or(l.inField(int(OtherFields)).And(known).And(r.inField(int(OtherFields))))
	}
	return docset.Union(sets...), unknown, nil
}
