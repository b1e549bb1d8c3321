package scope

import (
	"slices"
	"strings"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
)

// phrase returns the documents of the scope that contain a phrase.
func (s *Scope) phrase(words []string) (docset.Set, error) {
	key := strings.Join(words, "\x00")
	if set, ok := s.phrases[key]; ok {
		return set, nil
	}
	set, err := s.PhraseWithin(words, s.Docs)
	if err != nil {
		return docset.Set{}, err
	}
	if s.phrases == nil {
		s.phrases = make(map[string]docset.Set)
	}
	s.phrases[key] = set
	return set, nil
}

// PhraseWithin returns the documents of a set that contain a phrase: all its words,
// with each pair of words at most two slots apart as near as in the phrase (spec
// ranking 3.6).
func (s *Scope) PhraseWithin(words []string, within docset.Set) (docset.Set, error) {
	return s.phraseBeyond(words, within, docset.Set{})
}

// phraseBeyond is PhraseWithin except for some documents, whose records are not read.
func (s *Scope) phraseBeyond(words []string, within, without docset.Set) (docset.Set, error) {
	if docs, ok, err := s.KnownPhrase(words); err != nil {
		return docset.Set{}, err
	} else if ok {
		return s.inSearched(words, docs.And(within).AndNot(without))
	}
	set, err := s.withWords(words, within)
	if err != nil {
		return docset.Set{}, err
	}
	if set = set.AndNot(without); set.Empty() {
		return set, nil
	}
	if len(words) == 1 {
		return s.inSearched(words, set)
	}
	if s.storesPair(words) {
		if set, err = s.neighbours(columns.Pair{Left: words[0], Right: words[1]}, set); err != nil {
			return set, err
		}
		return s.inSearched(words, set)
	}
	return s.holding(words, set)
}

// holding is PhraseWithin for documents that have all words.
func (s *Scope) holding(words []string, set docset.Set) (docset.Set, error) {
	var held, unknown docset.Set
	err := s.Reading(func(columns *columns.Columns) error {
		held, unknown = columns.Holding(words, s.inSequence(columns, words, set), func(places [][]record.Occurrence) bool {
			return s.PhraseAt(words, func(slot int) []record.Occurrence { return places[slot] })
		})
		return nil
	})
	if err != nil {
		return docset.Set{}, err
	}
	read, err := s.keep(unknown, func(d *Document) bool { return d.holdsPhrase(words) })
	return held.Or(read), err
}

// withWords returns the documents of a set that have all words of a phrase, none if it has
// no word.
func (s *Scope) withWords(words []string, set docset.Set) (docset.Set, error) {
	some := false
	for _, w := range words {
		if w == "" {
			continue
		}
		docs, err := s.Word(w, false)
		if err != nil {
			return docset.Set{}, err
		}
		if set, some = set.And(docs), true; set.Empty() {
			return set, nil
		}
	}
	if !some {
		return docset.Set{}, nil
	}
	return set, nil
}

// inSequence removes documents that do not have each word of a phrase directly before the
// next one, as far as columns tell.
func (s *Scope) inSequence(cols *columns.Columns, words []string, set docset.Set) docset.Set {
	if s.Schema.byAttribute {
		return set
	}
	for i := 1; i < len(words); i++ {
		if l, r := words[i-1], words[i]; l != "" && r != "" {
			side, unknown := cols.SideBySide(columns.Pair{Left: l, Right: r}, set)
			set = side.Or(unknown)
		}
	}
	return set
}

// MayContain returns those documents of a set that contain a phrase, and few others. It
// reads no record.
func (s *Scope) MayContain(cols *columns.Columns, words []string, set docset.Set) (docset.Set, error) {
	if docs, ok, err := s.KnownPhrase(words); ok || err != nil {
		return docs.And(set), err
	}
	set, err := s.withWords(words, set)
	return s.inSequence(cols, words, set), err
}

// PhraseAt is holdsPhrase for a document in which each word of the phrase occurs at the
// given places, by slot. Each must occur in a searched field.
func (s *Scope) PhraseAt(words []string, places func(slot int) []record.Occurrence) bool {
	for slot, w := range words {
		if w == "" {
			continue
		}
		at := places(slot)
		if len(at) == 0 || s.Restricted && !slices.ContainsFunc(at, func(o record.Occurrence) bool { return s.Searched(o.Field) }) {
			return false
		}
	}
	return s.inOrder(words, func(l, r int) int { return s.stored(places(l), places(r)) })
}

// inOrder reports whether the words of a phrase are as near to each other as in the
// phrase. stored returns the stored distance of the words of two slots.
func (s *Scope) inOrder(words []string, stored func(l, r int) int) bool {
	for i, l := range words {
		for gap := 1; gap <= 2 && i+gap < len(words); gap++ {
			if l == "" || words[i+gap] == "" {
				continue
			}
			if n := stored(i, i+gap); n == 0 || n > gap && !s.Schema.byAttribute {
				return false
			}
		}
	}
	return true
}
