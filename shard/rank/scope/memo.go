package scope

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/wire"
	"shoal/wire/await"
)

// Memo caches costly results for one state of a shard: the documents of word pairs,
// unions over prefixes, columns of sorted fields, of ranges and of places, and dictionary look-ups.
// The Memo of the next state inherits all but the last. An inherited entry is updated when it is
// next used, by looking at the documents changed since. Caching changes no answer. Safe
// for concurrent use. The zero value is ready; a nil Memo caches nothing.
type Memo struct {
	mu sync.Mutex
	// source, if set, is the Memo to inherit from on first use. pending are the
	// documents changed since.
	source  *Memo
	pending docset.Set

	schema *Schema
	// log holds the documents changed from one generation to the next. base is the
	// generation before its first entry.
	log      []docset.Set
	base     int
	sorts    map[SortKey]dated[*SortColumn]
	points   map[placeKey]dated[*PointColumn]        // one at most
	boxes    map[placeKey]dated[*BoxColumn]          // one at most
	numbers  map[uint16]dated[*RangeColumn[float64]] // by field
	strings  map[uint16]dated[*RangeColumn[string]]
	prefixes map[columns.Key]dated[docset.Set]
	pairs    map[columns.Pair]dated[PairDocs]
	words    map[wordKey]wire.WordFacts // of this state only, because any change may change counts
	bytes    int
	// wordBytes is the part of bytes used by words.
	wordBytes int
	// sorting is the number of documents sorted without a column, reading that of documents
	// read because there was no column of places, and walking that of values read because
	// there was no column of ranges.
	sorting, reading, walking int
	max                       int // bytes; 0 is maxMemoBytes
	// sortMaking, pointMaking and boxMaking let concurrent searches share the making of
	// columns.
	sortMaking  await.Flight[SortKey, *SortColumn]
	pointMaking await.Flight[placeKey, *PointColumn]
	boxMaking   await.Flight[placeKey, *BoxColumn]
}

// Bound limits the bytes of the Memo; 0 is the default. Call it before the first use.
func (m *Memo) Bound(bytes int) { m.max = bytes }

// Bytes returns the size of the Memo without entries that it may still inherit.
func (m *Memo) Bytes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}

// dated is an entry with its generation.
type dated[T any] struct {
	value T
	gen   int
	bytes int
}

const (
	// maxMemoBytes is the default size limit. A full Memo drops a quarter of its
	// entries, in arbitrary order.
	maxMemoBytes = 64 << 20
	// maxMemoLog is how many generations an entry may be behind. maxMemoChanged bounds
	// the documents changed in all of them.
	maxMemoLog, maxMemoChanged = 64, 1 << 14
	entryBytes                 = 128
)

// Inherit makes the empty Memo m the successor of previous. changed are the documents
// that were added, changed or removed in between.
func (m *Memo) Inherit(previous *Memo, changed docset.Set) {
	previous.mu.Lock()
	defer previous.mu.Unlock()
	if previous.source != nil { // never used
		m.source, m.pending = previous.source, previous.pending.Or(changed)
		return
	}
	m.source, m.pending = previous, changed
}

// open takes over the inherited entries and drops results of another schema. The caller
// holds mu.
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
	m.schema, m.bytes = src.schema, src.bytes-src.wordBytes
	m.sorting, m.reading, m.walking = src.sorting, src.reading, src.walking
	m.words = make(map[wordKey]wire.WordFacts)
	m.log, m.base = append(slices.Clip(src.log), m.pending), src.base
	m.sorts, m.points, m.boxes = maps.Clone(src.sorts), maps.Clone(src.points), maps.Clone(src.boxes)
	m.numbers, m.strings = maps.Clone(src.numbers), maps.Clone(src.strings)
	m.prefixes, m.pairs = maps.Clone(src.prefixes), maps.Clone(src.pairs)
	for len(m.log) > maxMemoLog || total > maxMemoChanged {
		total -= m.log[0].Len()
		m.log, m.base = m.log[1:], m.base+1
	}
}

// Len returns the number of results, including those still to be inherited.
func (m *Memo) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.source != nil {
		return m.source.Len()
	}
	return len(m.sorts) + len(m.points) + len(m.boxes) + len(m.numbers) + len(m.strings) + len(m.prefixes) + len(m.pairs)
}

// shrink drops entries until the rest fits, sorted fields, ranges and places last.
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
	forget(m, m.numbers, limit)
	forget(m, m.strings, limit)
	forget(m, m.points, limit)
	forget(m, m.boxes, limit)
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
	m.points, m.boxes = make(map[placeKey]dated[*PointColumn]), make(map[placeKey]dated[*BoxColumn])
	m.numbers, m.strings = make(map[uint16]dated[*RangeColumn[float64]]), make(map[uint16]dated[*RangeColumn[string]])
	m.prefixes, m.pairs = make(map[columns.Key]dated[docset.Set]), make(map[columns.Pair]dated[PairDocs])
	m.words = make(map[wordKey]wire.WordFacts)
	m.bytes, m.wordBytes, m.sorting, m.reading, m.walking = 0, 0, 0, 0, 0
}

// gen returns the present generation.
func (m *Memo) gen() int { return m.base + len(m.log) }

// changedSince returns the documents changed since a generation. ok is false if the log
// does not reach back that far.
func (m *Memo) changedSince(gen int) (set docset.Set, ok bool) {
	if gen < m.base {
		return docset.Set{}, false
	}
	return docset.Union(m.log[gen-m.base:]...), true
}

// find returns an entry of one of the maps and the documents changed since it was
// stored.
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

// keep stores an entry in one of the maps.
func keep[K comparable, T any](m *Memo, s *Schema, in func(*Memo) map[K]dated[T], key K, value T, size int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open(s)
	size += entryBytes
	entries := in(m)
	m.bytes -= entries[key].bytes
	delete(entries, key)
	m.room(size)
	m.bytes += size
	entries[key] = dated[T]{value, m.gen(), size}
}

// room makes room for size more bytes.
func (m *Memo) room(size int) {
	if most := cmp.Or(m.max, maxMemoBytes); m.bytes+size > most {
		m.shrink(min(most/4*3, most-size))
	}
}

// fits reports whether an entry of so many bytes would leave room for others.
func (m *Memo) fits(size int) bool { return m != nil && size <= cmp.Or(m.max, maxMemoBytes)/4*3 }

// placeKey is the key of the only column of its kind.
type placeKey struct{}

func sortsOf(m *Memo) map[SortKey]dated[*SortColumn]            { return m.sorts }
func pointsOf(m *Memo) map[placeKey]dated[*PointColumn]         { return m.points }
func boxesOf(m *Memo) map[placeKey]dated[*BoxColumn]            { return m.boxes }
func numbersOf(m *Memo) map[uint16]dated[*RangeColumn[float64]] { return m.numbers }
func stringsOf(m *Memo) map[uint16]dated[*RangeColumn[string]]  { return m.strings }
func prefixesOf(m *Memo) map[columns.Key]dated[docset.Set]      { return m.prefixes }
func pairsOf(m *Memo) map[columns.Pair]dated[PairDocs]          { return m.pairs }

// worthSorting decides whether to build a sort column for a set of n of the live
// documents: if the set is large and nothing changes, or if many documents were sorted
// without one.
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

// worthPlacing decides whether to build a column of places instead of reading n of the
// live documents. Building reads all of them. So it is worthwhile once as many were read
// without a column.
func (m *Memo) worthPlacing(s *Schema, n, live int) bool { return m.worthOf(s, &m.reading, n, live) }

// worthWalking decides likewise whether to build a column of ranges, after n values were read.
func (m *Memo) worthWalking(s *Schema, n, live int) bool { return m.worthOf(s, &m.walking, n, live) }

func (m *Memo) worthOf(s *Schema, sum *int, n, most int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open(s)
	if *sum += n; *sum < most {
		return false
	}
	*sum = 0
	return true
}
