package columns

import (
	"strings"
	"sync"
)

// Summaries take 1/summaryShare of a PieceCache.
const summaryShare = 8

// summaries cache look-ups of single names in the pages of one file, found or not. A
// page has some twenty names, of which a search needs one. In a large shard a search
// looks up a name in every block; caching names instead of pages fits hundreds of times
// as many into memory. They change no answer. Safe for concurrent use.
type summaries struct {
	mu sync.RWMutex
	// young are those used recently. When they take half of the room, they become the
	// old ones, and the previous old ones are dropped.
	young, old map[summaryName]summary
	youngBytes int
	oldBytes   int
}

// summaryName is a word or a prefix.
type summaryName struct {
	prefix bool
	name   string
}

// summary is the result of a look-up: how many names are less, and its sets if found.
type summary struct {
	at    int
	found bool
	sets  blockSpread
}

// summaryOverhead is the memory of a summary besides its name and references.
const summaryOverhead = 160

func (n summaryName) bytes(s *summary) int {
	return len(n.name) + len(s.sets.fields) + len(s.sets.places) + summaryOverhead
}

// find returns the cached summary of a name.
func (k *summaries) find(n summaryName) (s summary, ok bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if s, ok = k.young[n]; !ok {
		s, ok = k.old[n]
	}
	return s, ok
}

// keep caches a summary within room bytes. It returns by how many bytes the cache grew.
// It copies what it keeps.
func (k *summaries) keep(n summaryName, s summary, room int) (more int) {
	n.name = strings.Clone(n.name)
	refs := append(append(make([]byte, 0, len(s.sets.fields)+len(s.sets.places)), s.sets.fields...), s.sets.places...)
	at := len(s.sets.fields)
	s.sets = blockSpread{refs[:at:at], refs[at:]}
	size := n.bytes(&s)
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.young[n]; ok || 2*size > room {
		return 0
	}
	if k.young == nil {
		k.young = make(map[summaryName]summary)
	}
	if 2*(k.youngBytes+size) > room {
		more -= k.oldBytes
		k.old, k.oldBytes = k.young, k.youngBytes
		k.young, k.youngBytes = make(map[summaryName]summary), 0
	}
	k.young[n] = s
	k.youngBytes += size
	return more + size
}

// clear drops everything and returns its bytes.
func (k *summaries) clear() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.youngBytes + k.oldBytes
	k.young, k.old, k.youngBytes, k.oldBytes = nil, nil, 0, 0
	return n
}
