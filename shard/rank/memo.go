package rank

import (
	"sync"

	"shoal/shard/docset"
)

// Memo keeps results that hold for one state of a shard and cost much to find:
// which documents have two words side by side, unions over prefixes, and columns
// of frequent words. Safe for concurrent use. The zero value is ready; a nil Memo
// keeps nothing.
type Memo struct {
	mu       sync.Mutex
	pairs    map[pairKey]pairDocs
	prefixes map[columnKey]docset.Set
	bytes    int

	columns columns
}

// maxMemoBytes bounds pairs and prefixes; a full Memo starts anew.
const maxMemoBytes = 32 << 20

type pairKey struct{ left, right string }

// pairDocs is what is known of two neighbouring words: in how many documents left
// stands directly before right, or at least, and in which when complete.
type pairDocs struct {
	n        uint32
	complete bool
	docs     docset.Set
}

func (m *Memo) pair(k pairKey) (pairDocs, bool) {
	if m == nil {
		return pairDocs{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.pairs[k]
	return p, ok
}

func (m *Memo) putPair(k pairKey, p pairDocs) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.make(p.docs.MemBytes() + len(k.left) + len(k.right) + 96)
	m.pairs[k] = p
}

// make makes room for an entry.
func (m *Memo) make(size int) {
	if m.pairs == nil || m.bytes+size > maxMemoBytes {
		m.pairs, m.prefixes, m.bytes = make(map[pairKey]pairDocs), make(map[columnKey]docset.Set), 0
	}
	m.bytes += size
}

// prefix returns the union kept for a prefix range, or finds and keeps it.
func (m *Memo) prefix(k columnKey, find func() (docset.Set, error)) (docset.Set, error) {
	if m == nil {
		return find()
	}
	m.mu.Lock()
	set, ok := m.prefixes[k]
	m.mu.Unlock()
	if ok {
		return set, nil
	}
	set, err := find()
	if err != nil {
		return set, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.make(set.MemBytes() + len(k.text) + len(k.last) + 96)
	m.prefixes[k] = set
	return set, nil
}
