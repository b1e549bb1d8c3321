package byattribute

import (
	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
)

// quick finds ranked documents of a condition from columns. matched are some of them;
// the records of read must be checked. Call it after note.
//
// Single words of two nodes meet in documents where both occur in one searched field,
// if the document was there when their pairs were first queried. The columns do not
// distinguish the words of a node, so this needs pairs that were all queried at once.
func (a *Rule) quick(m *pairCondition) (matched, read docset.Set, err error) {
	docs := a.left.And(m.left.docs).And(m.right.docs)
	if docs.Len() < columns.MinDocs || m.left.prefix != "" {
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
	mask := a.s.SearchedMask()
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
		whole, err := a.s.Word(m.right.prefix, false) // it may also match behind left
		if err != nil {
			return matched, read, err
		}
		matched, read = matched.Or(more.And(ahead)), docset.Union(read, unknown, whole.And(docs))
	}
	read, err = a.exceptions(m, docs, read)
	return matched, read.AndNot(matched), err
}

// exceptions adds the documents that may match by a phrase, or by a pair queried
// without ranking.
func (a *Rule) exceptions(m *pairCondition, docs, read docset.Set) (docset.Set, error) {
	sets := []docset.Set{read}
	add := func(w string, with docset.Set) error {
		set, err := a.s.Word(w, false)
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
		set, err := a.s.Word(l, false)
		if err == nil {
			err = add(r, set.And(docs))
		}
		if err != nil {
			return read, err
		}
	}
	return docset.Union(sets...), nil
}

// reach returns the documents of ranked that were there when the pairs of two word sets
// were first queried. ok is false if that differs between pairs.
func reach(list []firstSeen, left, right *wordSet, ranked docset.Set) (within docset.Set, ok bool) {
	some := false // some pairs were queried among all ranked documents
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

// meets reports whether two sets may have a word in common.
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

// keys returns the single words of a node and the words of its cached prefix.
func (d *side) keys() (words, prefix []columns.Key) {
	if d.sub&(query.Zero|query.ExactForm) != 0 && !d.term.IsPhrase() {
		if d.prefix != "" {
			prefix = []columns.Key{{Text: d.prefix, Prefix: true}}
		}
		if d.extended() {
			words = append(words, columns.Key{Text: d.term.Text, Prefix: true, Last: scope.LastExtension(d.term)})
		} else if d.term.Known {
			words = append(words, columns.Key{Text: d.term.Text})
		}
	}
	for i := range d.found {
		words = append(words, columns.Key{Text: d.found[i].Word})
	}
	return words, prefix
}

// shareColumns returns the documents in which a word of left and one of right occur in
// one of the given fields, as far as columns know.
func shareColumns(s *scope.Scope, left, right []columns.Key, docs docset.Set, mask uint32) (shared, unknown docset.Set, err error) {
	err = s.Reading(func(columns *columns.Columns) (err error) {
		shared, unknown, err = shareIn(s, columns, left, right, docs, mask)
		return err
	})
	return shared, unknown, err
}

func shareIn(s *scope.Scope, cols *columns.Columns, left, right []columns.Key, docs docset.Set, mask uint32) (shared, unknown docset.Set, err error) {
	l, unknown, err := cols.Spread(s, left, docs, cols.Ahead())
	if err != nil {
		return shared, unknown, err
	}
	r, more, err := cols.Spread(s, right, docs, cols.Ahead())
	if err != nil {
		return shared, unknown, err
	}
	unknown = unknown.Or(more)
	known := docs.AndNot(unknown)
	var sets []docset.Set
	for bit := range int(columns.OtherFields) {
		if mask>>bit&1 != 0 {
			sets = append(sets, l.InField(bit).And(known).And(r.InField(bit)))
		}
	}
	if mask>>columns.OtherFields&1 != 0 { // one bit for several fields
		unknown = unknown.Or(l.InField(int(columns.OtherFields)).And(known).And(r.InField(int(columns.OtherFields))))
	}
	return docset.Union(sets...), unknown, nil
}
