package rank

import (
	"sync"

	"shoal/shard/docset"
)

// Memo keeps results that hold for one state of a shard and cost much to find:
// how often two words are neighbours, in which documents. Safe for concurrent
// use. The zero value is ready; a nil Memo keeps nothing.
type Memo struct {
	mu    sync.Mutex
	pairs map[pairKey]pairCount
	sets  map[string]docset.Set
	bytes int
}

// Bounds of a Memo: entries of counts, bytes of sets. A full Memo starts anew.
const (
	maxMemoPairs = 1 << 14
	maxMemoBytes = 32 << 20
)

type pairKey struct{ left, right string }

// pairCount is a number of documents; atLeast when counting stopped early.
type pairCount struct {
	n       uint32
	atLeast bool
}

func (m *Memo) pair(k pairKey) (pairCount, bool) {
	if m == nil {
		return pairCount{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.pairs[k]
	return c, ok
}

func (m *Memo) putPair(k pairKey, c pairCount) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pairs == nil || len(m.pairs) >= maxMemoPairs {
		m.pairs = make(map[pairKey]pairCount)
	}
	m.pairs[k] = c
}

// set returns the set kept under key, or finds and keeps it.
func (m *Memo) set(key string, find func() (docset.Set, error)) (docset.Set, error) {
	if m == nil {
		return find()
	}
	m.mu.Lock()
	s, ok := m.sets[key]
	m.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := find()
	if err != nil {
		return s, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if size := s.MemBytes() + len(key) + 64; m.sets == nil || m.bytes+size > maxMemoBytes {
		m.sets, m.bytes = make(map[string]docset.Set), size
	} else {
		m.bytes += size
	}
	m.sets[key] = s
	return s, nil
}
