package rank

import "sync"

// Memo keeps results that hold for one state of a shard and cost much to find:
// how often two words are neighbours, and columns of frequent words. Safe for
// concurrent use. The zero value is ready; a nil Memo keeps nothing.
type Memo struct {
	mu    sync.Mutex
	pairs map[pairKey]pairCount

	columns columns
}

// maxMemoPairs bounds the counts kept; a full Memo starts anew.
const maxMemoPairs = 1 << 14

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
