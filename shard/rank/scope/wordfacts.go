package scope

import (
	"strings"
	"unsafe"

	"shoal/wire"
)

// wordKey is a word that a search asked for, and how: exact tells that some attribute
// takes no typos, as the schema of the search has it.
type wordKey struct {
	word  wire.VocabularyWord
	exact bool
}

// bytes is what a kept entry takes.
func (k wordKey) bytes(f *wire.WordFacts) int {
	n := entryBytes + len(k.word.Text) + 4*len(f.Bounds)
	for _, list := range [][]string{f.Prefixed, f.Extensions} {
		for _, w := range list {
			n += len(w) + int(unsafe.Sizeof(w))
		}
	}
	for i := range f.Typos {
		n += len(f.Typos[i].Word) + int(unsafe.Sizeof(f.Typos[i]))
	}
	return n
}

// WordFacts returns what an earlier search has found out about a word in this state of
// the shard. The slices are shared: do not modify.
func (s *Scope) WordFacts(w wire.VocabularyWord) (facts wire.WordFacts, ok bool) {
	m := s.Index.Memo()
	if m == nil {
		return facts, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open(s.Schema)
	facts, ok = m.words[wordKey{w, s.Schema.AnyExact}]
	return facts, ok
}

// KeepWordFacts leaves what was found out about a word to later searches; the slices
// are theirs as well.
func (s *Scope) KeepWordFacts(w wire.VocabularyWord, facts wire.WordFacts) {
	m := s.Index.Memo()
	if m == nil {
		return
	}
	w.Text = strings.Clone(w.Text) // the message it is of is not kept
	key := wordKey{w, s.Schema.AnyExact}
	size := key.bytes(&facts)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open(s.Schema)
	if _, ok := m.words[key]; ok {
		return
	}
	m.room(size)
	m.bytes, m.wordBytes = m.bytes+size, m.wordBytes+size
	m.words[key] = facts
}
