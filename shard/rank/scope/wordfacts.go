package scope

import (
	"strings"
	"unsafe"

	"shoal/wire"
)

// wordKey identifies a dictionary look-up. exact is AnyExact of the schema.
type wordKey struct {
	word  wire.VocabularyWord
	exact bool
}

// bytes returns the size of an entry.
func (k wordKey) bytes(f *wire.WordFacts) int {
	n := entryBytes + len(k.word.Text) + 4*len(f.Bounds)
	for _, list := range [][]string{f.Prefixed, f.Extensions, f.Infix} {
		for _, w := range list {
			n += len(w) + int(unsafe.Sizeof(w))
		}
	}
	for i := range f.Typos {
		n += len(f.Typos[i].Word) + int(unsafe.Sizeof(f.Typos[i]))
	}
	return n
}

// WordFacts returns the cached facts about a word in this state of the shard. The
// slices are shared: do not modify them.
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

// KeepWordFacts caches the facts about a word for later searches. It takes ownership of
// the slices.
func (s *Scope) KeepWordFacts(w wire.VocabularyWord, facts wire.WordFacts) {
	m := s.Index.Memo()
	if m == nil {
		return
	}
	w.Text = strings.Clone(w.Text) // the message that owns it must not be retained
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
