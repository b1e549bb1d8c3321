package columns

import (
	"strings"
	"sync"
)

// summaryShare is the part of a PieceCache, as a divisor, that summaries take.
const summaryShare = 8

// summaries keep what the pages of names of one file told of single names, found or not:
// a page has some twenty, of which a search wants one. Of a large shard's columns a
// search needs a name in every block: kept by the name, hundreds of times as many
// stay in memory as pages would. They change no answer. Safe for concurrent use.
type summaries struct {
	mu sync.RWMutex
	// young are those asked for lately; when they take half of the room, they are the
	// old ones, and those before are forgotten.
	young, old map[summaryName]summary
	youngBytes int
	oldBytes   int
}

// summaryName is a word, or a prefix.
type summaryName struct {
	prefix bool
	name   string
}

// summary is what a file tells of a name: how many names are less, and its sets if found.
type summary struct {
	at    int
	found bool
	sets  blockSpread
}

// summaryOverhead is what a summary takes besides its name and references.
const summaryOverhead = 160

func (n summaryName) bytes(s *summary) int {
	return len(n.name) + len(s.sets.fields) + len(s.sets.places) + summaryOverhead
}

// find returns what is kept of a name.
func (k *summaries) find(n summaryName) (s summary, ok bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if s, ok = k.young[n]; !ok {
		s, ok = k.old[n]
	}
	return s, ok
}

// keep keeps what was found of a name, in room bytes, and returns by how many bytes
// more is kept than before. It copies what it keeps.
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

// clear forgets all, and returns how many bytes that were.
func (k *summaries) clear() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.youngBytes + k.oldBytes
	k.young, k.old, k.youngBytes, k.oldBytes = nil, nil, 0, 0
	return n
}
