package topk

import (
	"cmp"
	"slices"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// phrase is a synonym of a node, its quoted phrase or its split word. of has for each slot
// the number of its word among the words of all phrases of the node. alone means that the
// columns of its first word tell where it is: it has no other word, or the node stands for
// nothing else, so that all documents have it. In a restricted search a word is no phrase
// where its field is not searched, which columns do not tell.
type phrase struct {
	words []string
	of    []int
	alone bool
}

// keysOf returns the single words and the phrases of a node.
func keysOf(s *scope.Scope, ref query.Ref) (keys nodeKeys) {
	keys.list, keys.plain = s.NodeKeys(ref)
	keys.alone = len(keys.list)
	var words, firsts []string
	s.Terms[ref.Term].Phrases(ref.Sub, func(list []string) {
		p, filled := phrase{words: list, of: make([]int, len(list))}, 0
		for slot, w := range list {
			if w == "" {
				continue
			}
			if filled++; filled == 1 {
				firsts = append(firsts, w)
			}
			if p.of[slot] = slices.Index(words, w); p.of[slot] < 0 {
				p.of[slot], words = len(words), append(words, w)
			}
		}
		if p.alone = filled == 1 && !s.Restricted; filled > 0 {
			keys.phrases = append(keys.phrases, p)
		}
	})
	sole := len(keys.list) == 0 && len(keys.phrases) == 1
	for i := range keys.phrases {
		if p := &keys.phrases[i]; p.alone || sole {
			p.alone, keys.list = true, append(keys.list, columns.Key{Text: firsts[i]})
		}
	}
	return keys
}

// phrased returns the documents of a set that may contain a phrase that is not alone.
func (t *top) phrased(keys *nodeKeys, set docset.Set) (out docset.Set, err error) {
	for i := range keys.phrases {
		if p := &keys.phrases[i]; !p.alone {
			docs, err := t.s.MayContain(t.columns, p.words, set)
			if err != nil {
				return out, err
			}
			out = out.Or(docs)
		}
	}
	return out, nil
}

// part is the code of a word of phrases with a column, and the number of the word.
type part struct {
	code uint16
	word int
}

func (p part) compare(code uint16) int { return cmp.Compare(p.code, code) }

// matchPhrases finds the codes of the words of a node's phrases.
func (bm *blockMatch) matchPhrases(s *scope.Scope, m *match, keys *nodeKeys) error {
	m.phrases = keys.phrases
	for i := range m.phrases {
		p := &m.phrases[i]
		for slot, w := range p.words {
			if w == "" || p.of[slot] < len(m.places) {
				continue
			}
			m.places = append(m.places, nil) // words are numbered as they come
			at := bm.find(w)
			if at.Found {
				m.parts = append(m.parts, part{codeAt(at), p.of[slot]})
			} else if err := bm.rare(s, m, w, at, rareWord{part: p.of[slot] + 1}); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(m.parts, func(a, b part) int { return a.compare(b.code) })
	return nil
}

// clear prepares for the next document.
func (m *match) clear() {
	for i := range m.places {
		m.places[i] = m.places[i][:0]
	}
}

// join adds the phrases that the present document contains.
func (m *match) join(s *scope.Scope, n *scope.NodePlaces) {
	some := false
	for i := range m.phrases {
		p := &m.phrases[i]
		if !s.PhraseAt(p.words, func(slot int) []record.Occurrence { return m.places[p.of[slot]] }) {
			continue
		}
		some = true
		n.AddPhrase(p.words, func(buf []record.Occurrence, slot int) []record.Occurrence {
			return append(buf, m.places[p.of[slot]]...)
		})
	}
	if some {
		n.SortPhrases()
	}
}
