package scope

import (
	"strings"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
)

// Leaf returns the documents in scope that match a node: the union of its words, its
// cached prefix and its phrases (spec ranking 3.7).
func (s *Scope) Leaf(ref query.Ref) (docset.Set, error) {
	if set, ok := s.leafs[ref]; ok {
		return set, nil
	}
	set, err := s.leaf(ref, s.Docs, func(words []string, known docset.Set) (docset.Set, error) {
		if known.Empty() {
			return s.phrase(words)
		}
		return s.phraseBeyond(words, s.Docs, known)
	})
	if err == nil {
		s.leafs[ref] = set
	}
	return set, err
}

// LeafWithin is Leaf for another scope, without caching.
func (s *Scope) LeafWithin(ref query.Ref, scope docset.Set) (docset.Set, error) {
	return s.leaf(ref, scope, func(words []string, known docset.Set) (docset.Set, error) {
		return s.phraseBeyond(words, scope, known)
	})
}

// leaf finds the documents in scope that match a node. phrase returns those of a phrase,
// except for some that are known to match.
func (s *Scope) leaf(ref query.Ref, scope docset.Set, phrase func(words []string, known docset.Set) (docset.Set, error)) (docset.Set, error) {
	t := &s.Terms[ref.Term]
	find := s.singles
	if s.Restricted {
		find = func(ref query.Ref) (docset.Set, error) { return s.restrictedSingles(ref, scope) }
	}
	set, err := find(ref)
	if err != nil {
		return docset.Set{}, err
	}
	set = set.And(scope)
	t.Phrases(ref.Sub, func(words []string) {
		if err != nil {
			return
		}
		var more docset.Set
		if more, err = phrase(words, set); err == nil {
			set = set.Or(more)
		}
	})
	return set, err
}

// singles returns the documents with one of the node's single words or its cached
// prefix, in any field. Plain terms match tolerant and exact words; typos and n-grams
// match tolerant ones only (spec ranking 3.2).
func (s *Scope) singles(ref query.Ref) (docset.Set, error) {
	t, sub := &s.Terms[ref.Term], ref.Sub
	var sets []docset.Set
	add := func(set docset.Set, err error) error {
		if err == nil && !set.Empty() {
			sets = append(sets, set)
		}
		return err
	}
	if sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		// The range includes the word itself.
		switch {
		case t.UsesCache(sub):
			if err := add(s.Prefix(t, "")); err != nil {
				return docset.Set{}, err
			}
		case sub&query.Zero != 0 && len(t.Extensions) > 0:
			if err := add(s.Prefix(t, LastExtension(t))); err != nil {
				return docset.Set{}, err
			}
		case t.Known:
			if err := add(s.Word(t.Text, t.IsNgram())); err != nil {
				return docset.Set{}, err
			}
		}
	}
	for _, group := range [2]query.Subset{query.One, query.Two} {
		if sub&group == 0 {
			continue
		}
		if err := add(s.typoUnion(ref.Term, group)); err != nil {
			return docset.Set{}, err
		}
	}
	if len(sets) == 1 {
		return sets[0], nil
	}
	return docset.Union(sets...), nil
}

// LastExtension returns the upper bound of a term's prefix range: the last word of a
// truncated list, "" for a complete one.
func LastExtension(t *query.Term) string {
	if len(t.Extensions) < query.MaxExtensions {
		return ""
	}
	return t.Extensions[len(t.Extensions)-1]
}

// Prefix returns the documents with a word in the prefix range of a term.
func (s *Scope) Prefix(t *query.Term, last string) (docset.Set, error) {
	key := columns.Key{Text: t.Text, Prefix: true, Last: last, Tolerant: t.IsNgram() && s.Schema.AnyExact}
	set, stale, ok := find(s.Index.Memo(), s.Schema, prefixesOf, key)
	if ok && stale.Empty() {
		return set, nil
	}
	var err error
	if ok {
		set, err = s.renewPrefix(key, set, stale)
	} else {
		set, err = s.readPrefix(key)
	}
	if err != nil {
		return docset.Set{}, err
	}
	key.Text, key.Last = strings.Clone(key.Text), strings.Clone(key.Last) // the message that owns them must not be retained
	keep(s.Index.Memo(), s.Schema, prefixesOf, key, set, set.MemBytes()+len(key.Text)+len(key.Last))
	return set, nil
}

// renewPrefix updates the documents of a prefix range. stale documents have changed.
func (s *Scope) renewPrefix(key columns.Key, set, stale docset.Set) (docset.Set, error) {
	if stale.Len() > s.uncovered().Len() {
		if set, ok, err := s.prefixByColumns(key); ok || err != nil {
			return set, err
		}
	}
	fresh, err := s.keep(stale.And(s.Index.Live()), func(d *Document) bool { return d.inRange(key) })
	return set.AndNot(stale).Or(fresh), err
}

// readPrefix reads the union over a prefix range.
func (s *Scope) readPrefix(key columns.Key) (docset.Set, error) {
	if set, ok, err := s.prefixByColumns(key); ok || err != nil {
		return set, err
	}
	set, err := s.Index.Prefix(key.Text, key.Last)
	if err != nil || key.Tolerant || !s.Schema.AnyExact {
		return set, err
	}
	exact, err := s.Index.ExactPrefix(key.Text, key.Last)
	if err != nil {
		return docset.Set{}, err
	}
	return set.Or(exact), nil
}

// recordsPerWord is how many records are read in the time of one posting list. It
// decides which of the two is read for documents without columns.
const recordsPerWord = 4

// uncovered returns the documents without columns.
func (s *Scope) uncovered() docset.Set { return s.Index.Live().AndNot(s.columns().Covered()) }

// prefixByColumns is readPrefix from columns, for a whole prefix. It reads as little of
// a large shard as possible. ok is false unless the columns of all blocks have the
// documents of the prefix.
func (s *Scope) prefixByColumns(key columns.Key) (set docset.Set, ok bool, err error) {
	if key.Last != "" || key.Tolerant {
		return set, false, nil
	}
	err = s.Reading(func(columns *columns.Columns) error {
		rest := s.Index.Live().AndNot(columns.Covered())
		words := rest.Len()/recordsPerWord + 1
		if ok = columns != nil; !ok {
			return nil
		}
		dictionary, _, err := s.Index.Dictionaries()
		if err != nil {
			return err
		}
		if ok = dictionary.CountPrefix(key.Text, words) >= words; !ok {
			return nil
		}
		if set, ok = columns.WithPrefix(key.Text); !ok {
			return nil
		}
		more, err := s.keep(rest, func(d *Document) bool { return d.inRange(key) })
		set = set.And(columns.Covered()).Or(more)
		return err
	})
	return set, ok, err
}

// inRange reports whether the record has a word of a prefix range.
func (d *Document) inRange(key columns.Key) bool {
	found := false
	d.eachWord(key, func(e record.Entry) bool {
		found = !key.Tolerant || e.Tolerant()
		return !found
	})
	return found
}

// Word returns the documents with a word in any field.
func (s *Scope) Word(w string, tolerantOnly bool) (docset.Set, error) {
	if tolerantOnly {
		if set, ok := s.tolerant[w]; ok {
			return set, nil
		}
	} else if set, ok := s.words[w]; ok {
		return set, nil
	}
	set, err := s.Index.Word(w)
	if err != nil {
		return docset.Set{}, err
	}
	if tolerantOnly {
		if s.tolerant == nil {
			s.tolerant = make(map[string]docset.Set)
		}
		s.tolerant[w] = set
		return set, nil
	}
	if s.Schema.AnyExact {
		exact, err := s.Index.ExactWord(w)
		if err != nil {
			return docset.Set{}, err
		}
		set = set.Or(exact)
	}
	s.words[w] = set
	return set, nil
}

// typoSets returns the documents of each word of a term's typo list.
func (s *Scope) typoSets(term uint16, group query.Subset) ([]docset.Set, error) {
	key := listKey{term, group}
	if sets, ok := s.lists[key]; ok {
		return sets, nil
	}
	words := TypoList(&s.Terms[term], group)
	sets := make([]docset.Set, len(words))
	for i, w := range words {
		var err error
		if sets[i], err = s.Index.Word(w); err != nil {
			return nil, err
		}
	}
	if s.lists == nil {
		s.lists = make(map[listKey][]docset.Set)
	}
	s.lists[key] = sets
	return sets, nil
}

// typoUnion returns the union of typoSets. It is cached: reducing the universe needs
// it, and so does each number of typos.
func (s *Scope) typoUnion(term uint16, group query.Subset) (docset.Set, error) {
	key := listKey{term, group}
	if set, ok := s.unions[key]; ok {
		return set, nil
	}
	list, err := s.typoSets(term, group)
	if err != nil {
		return docset.Set{}, err
	}
	if s.unions == nil {
		s.unions = make(map[listKey]docset.Set)
	}
	set := docset.Union(list...)
	s.unions[key] = set
	return set, nil
}

// TypoList returns the words of a term with one typo, or with two.
func TypoList(t *query.Term, group query.Subset) []string {
	if group == query.One {
		return t.One
	}
	return t.Two
}

// keep returns the documents of a set whose record passes a test.
func (s *Scope) keep(set docset.Set, test func(*Document) bool) (docset.Set, error) {
	var out docset.Builder
	d := Document{Scope: s}
	err := s.EachRecord(set, func(ord uint32, t record.Tokens) bool {
		d.Tokens = t
		if test(&d) {
			out.Add(ord)
		}
		return true
	})
	if err != nil {
		return docset.Set{}, err
	}
	return out.Set(), nil
}

// EachRecord reads the records of a set in ascending order until f returns false.
func (s *Scope) EachRecord(set docset.Set, f func(ord uint32, t record.Tokens) bool) error {
	r := s.Tokens()
	for ord := range set.All() {
		t, ok, err := r.Read(ord)
		if err != nil {
			return err
		}
		if ok && !f(ord, t) {
			return nil
		}
	}
	return nil
}
