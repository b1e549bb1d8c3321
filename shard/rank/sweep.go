package rank

import (
	"shoal/query"
	"shoal/shard/record"
)

// sweeper makes the columns of all frequent words and cached prefixes in one pass
// over all records.
type sweeper struct {
	schema   *Schema
	words    map[string]*column
	prefixes map[string]*column
	// last is the word before, held the columns of its prefixes by length: words
	// come in order, so the next one shares most of them.
	last [query.MaxCachedPrefix]byte
	held [query.MaxCachedPrefix + 1]*column
	size int
}

// sweep fills the Memo with the columns of frequent words.
func (s *Session) sweep() error {
	w := &sweeper{schema: s.schema, words: make(map[string]*column), prefixes: make(map[string]*column)}
	least := max(ColumnMin, s.ix.Live().Len()/64)
	counts := make(map[string]int)
	for word, n := range s.ix.Dictionary().All() {
		if int(n) >= least {
			w.words[word] = newColumn(int(n))
		}
		for size := 1; size <= min(len(word), query.MaxCachedPrefix); size++ {
			counts[word[:size]]++
		}
	}
	for p, n := range counts {
		if n >= query.MinCachedWords {
			w.prefixes[p] = &column{}
		}
	}
	var cursor record.Cursor
	err := s.eachRecord(s.ix.Live(), func(ord uint32, t record.Tokens) bool {
		cursor.Reset(t)
		w.size = 0
		for cursor.Next() {
			w.take(ord, cursor.Word(), cursor.Entry)
		}
		return true
	})
	if err != nil {
		return err
	}
	for word, c := range w.words {
		s.keepColumn(columnKey{text: word}, c)
	}
	for p, c := range w.prefixes {
		if len(c.ords) >= least {
			s.keepColumn(columnKey{text: p, prefix: true}, c)
		}
	}
	return nil
}

// take adds one word of a document.
func (w *sweeper) take(ord uint32, word []byte, e record.Entry) {
	weight, places, fields := w.schema.placesOf(e)
	if c := w.words[string(word)]; c != nil {
		c.add(ord, weight, places, fields)
	}
	n := min(len(word), query.MaxCachedPrefix)
	shared := 0
	for shared < min(n, w.size) && w.last[shared] == word[shared] {
		shared++
	}
	for size := shared + 1; size <= n; size++ {
		w.held[size] = nil
		if size == 1 || w.held[size-1] != nil { // longer prefixes have no more words
			w.held[size] = w.prefixes[string(word[:size])]
		}
	}
	w.size = copy(w.last[:], word[:n])
	for size := 1; size <= n && w.held[size] != nil; size++ {
		w.held[size].add(ord, weight, places, fields)
	}
}
