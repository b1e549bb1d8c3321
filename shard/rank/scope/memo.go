package scope

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/wire"
)

// Memo keeps results that hold for one state of a shard and cost much to find:
// which documents have two words side by side, unions over prefixes, columns
// of sorted fields, what the dictionary says of a word. The Memo of the next state
// inherits all but the last: an entry is brought up to date, by looking at the documents
// changed since, when it is used again. They change no answer. Safe for concurrent use. The zero value
// is ready; a nil Memo keeps nothing.
type Memo struct {
	mu sync.Mutex
	// source, when set, is the Memo to inherit from on first use, and pending are
	// the documents changed since.
	source  *Memo
	pending docset.Set

	schema *Schema
	// log holds the documents changed from one generation to the next; base is the
	// generation before the first of them.
	log      []docset.Set
	base     int
	sorts    map[SortKey]dated[*SortColumn]
	prefixes map[columns.Key]dated[docset.Set]
	pairs    map[columns.Pair]dated[PairDocs]
	words    map[wordKey]wire.WordFacts // of this state alone: any change may change counts
	bytes    int
	// wordBytes is what the words take of bytes.
	wordBytes int
	// sorting is the number of documents that were sorted without column.
	sorting int
	max     int // bytes; 0 is maxMemoBytes
}

// Bound sets how many bytes the Memo keeps at most, before it is used; 0 is a default.
func (m *Memo) Bound(bytes int) { m.max = bytes }

// Bytes returns what the Memo keeps, what it may still inherit not counted.
func (m *Memo) Bytes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}

// dated is an entry with the generation it holds for.
type dated[T any] struct {
	value T
	gen   int
	bytes int
}

const (
	// maxMemoBytes bounds what a Memo keeps unless it is told otherwise; a full one
	// forgets a quarter, whatever comes first.
	maxMemoBytes = 64 << 20
	// maxMemoLog is how many generations an entry may be behind, maxMemoChanged how
	// many documents may have changed in all of them.
	maxMemoLog, maxMemoChanged = 64, 1 << 14
	entryBytes                 = 128
)

// Inherit makes m, which is fresh, the Memo of the state after that of previous.
// changed are the documents that were added, changed or removed in between.
func (m *Memo) Inherit(previous *Memo, changed docset.Set) {
	previous.mu.Lock()
	defer previous.mu.Unlock()
	if previous.source != nil { // never used
		m.source, m.pending = previous.source, previous.pending.Or(changed)
		return
	}
	m.source, m.pending = previous, changed
}

// open takes over what the Memo inherits and forgets what was found under another
// schema. The caller holds mu.
func (m *Memo) open(s *Schema) {
	if src := m.source; src != nil {
		m.source = nil
		src.mu.Lock()
		m.take(src)
		src.mu.Unlock()
		m.pending = docset.Set{}
	}
	if m.schema != s {
		if m.schema == nil || !s.extends(m.schema) {
			m.clear()
		}
		m.schema = s
	}
}

// take copies the entries of another Memo. The caller holds both locks.
func (m *Memo) take(src *Memo) {
	total := m.pending.Len()
	for _, set := range src.log {
		total += set.Len()
	}
	if src.schema == nil || m.pending.Len() > maxMemoChanged {
		return
	}
	m.schema, m.bytes, m.sorting = src.schema, src.bytes-src.wordBytes, src.sorting
	m.words = make(map[wordKey]wire.WordFacts)
	m.log, m.base = append(slices.Clip(src.log), m.pending), src.base
	m.sorts = maps.Clone(src.sorts)
	m.prefixes, m.pairs = maps.Clone(src.prefixes), maps.Clone(src.pairs)
	for len(m.log) > maxMemoLog || total > maxMemoChanged {
		total -= m.log[0].Len()
		m.log, m.base = m.log[1:], m.base+1
	}
}

// Len returns the number of results kept, those to be inherited included.
func (m *Memo) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.source != nil {
		return m.source.Len()
	}
	return len(m.sorts) + len(m.prefixes) + len(m.pairs)
}

// shrink forgets entries until the rest fits, of sorted fields last.
func (m *Memo) shrink(limit int) {
	for key, facts := range m.words {
		if m.bytes <= limit {
			return
		}
		size := key.bytes(&facts)
		m.bytes, m.wordBytes = m.bytes-size, m.wordBytes-size
		delete(m.words, key)
	}
	forget(m, m.prefixes, limit)
	forget(m, m.pairs, limit)
	forget(m, m.sorts, limit)
}

func forget[K comparable, T any](m *Memo, entries map[K]dated[T], limit int) {
	for key, e := range entries {
		if m.bytes <= limit {
			return
		}
		m.bytes -= e.bytes
		delete(entries, key)
	}
}

func (m *Memo) clear() {
	m.sorts = make(map[SortKey]dated[*SortColumn])
	m.prefixes, m.pairs = make(map[columns.Key]dated[docset.Set]), make(map[columns.Pair]dated[PairDocs])
	m.words = make(map[wordKey]wire.WordFacts)
	m.bytes, m.wordBytes, m.sorting = 0, 0, 0
}

// gen is the present generation.
func (m *Memo) gen() int { return m.base + len(m.log) }

// changedSince returns the documents changed since a generation; ok is false when
// that is too long ago to tell.
func (m *Memo) changedSince(gen int) (set docset.Set, ok bool) {
	if gen < m.base {
		return docset.Set{}, false
	}
	return docset.Union(m.log[gen-m.base:]...), true
}

// find returns an entry of one of the maps of a Memo, with the documents changed
// since it was made.
func find[K comparable, T any](m *Memo, s *Schema, in func(*Memo) map[K]dated[T], key K) (value T, stale docset.Set, ok bool) {
	if m == nil {
		return value, stale, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open(s)
	e, ok := in(m)[key]
	if !ok {
		return value, stale, false
	}
	stale, ok = m.changedSince(e.gen)
	return e.value, stale, ok
}

// keep puts an entry into one of the maps of a Memo.
func keep[K comparable, T any](m *Memo, s *Schema, in func(*Memo) map[K]dated[T], key K, value T, size int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open(s)
	size += entryBytes
	m.room(size)
	entries := in(m)
	m.bytes += size - entries[key].bytes
	entries[key] = dated[T]{value, m.gen(), size}
}

// room forgets what is in the way of so many bytes more.
func (m *Memo) room(size int) {
	if most := cmp.Or(m.max, maxMemoBytes); m.bytes+size > most {
		m.shrink(most / 4 * 3)
	}
}

func sortsOf(m *Memo) map[SortKey]dated[*SortColumn]       { return m.sorts }
func prefixesOf(m *Memo) map[columns.Key]dated[docset.Set] { return m.prefixes }
func pairsOf(m *Memo) map[columns.Pair]dated[PairDocs]     { return m.pairs }

// worthSorting tells whether making a sort column is worth it for a set of n of
// live documents: when the set is large and nothing changes, or when a good
// part of all documents was sorted without one.
func (m *Memo) worthSorting(s *Schema, n, live int) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open(s)
	m.sorting += n
	if m.sorting*sortingShare >= live || n*SortShare >= live && len(m.log) == 0 {
		m.sorting = 0
		return true
	}
	return false
}
