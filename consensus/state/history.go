package state

import (
	"encoding/binary"
	"sync"

	"github.com/cespare/xxhash/v2"

	"shoal/wire"
)

// HistorySince is the wire.Version with which the state began to carry a running hash of
// the log. The hash begins with the entry that raises the log to that version. Every node
// that applies it knows the hash, so all begin in the same place.
const HistorySince = 9

// Mark is a place in a history: an applied entry and the running hash of all entries up to
// it. Two nodes whose hashes differ at one index have applied different entries. Hash 0:
// the log is older than HistorySince.
type Mark struct {
	Index, Hash uint64
}

// marksKept is how many of the newest marks are compared with those of other nodes.
const marksKept = 4096

// history is the newest marks of a machine. Safe for concurrent use.
type history struct {
	mu   sync.Mutex
	ring []Mark // ascending from next on, if it is full; else from 0 on
	next int
}

// extend returns the hash after an entry.
func extend(hash, index, term uint64, data []byte) uint64 {
	var head [24]byte
	binary.LittleEndian.PutUint64(head[:], hash)
	binary.LittleEndian.PutUint64(head[8:], index)
	binary.LittleEndian.PutUint64(head[16:], term)
	var d xxhash.Digest
	d.Reset()
	_, _ = d.Write(head[:]) // it never fails
	_, _ = d.Write(data)
	return max(d.Sum64(), 1)
}

// mark extends the running hash by the entry that was applied last.
func (x *txn) mark(data []byte) {
	if x.f.Hash == 0 {
		v, _ := x.meta.Value(wire.ValueProgram)
		if wire.ProgramOf(v) < HistorySince {
			return
		}
	}
	x.f.Hash = extend(x.f.Hash, x.index, x.term, data)
	x.marks = append(x.marks, Mark{x.index, x.f.Hash})
}

// add appends marks. With anew the ones before are forgotten.
func (h *history) add(marks []Mark, anew bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if anew {
		h.ring, h.next = h.ring[:0], 0
	}
	for _, m := range marks {
		if len(h.ring) < marksKept {
			h.ring = append(h.ring, m)
			continue
		}
		h.ring[h.next] = m
		h.next = (h.next + 1) % marksKept
	}
}

// differs tells whether a mark of another node belongs to another history. It is false if
// that cannot be known, because the place is too old or not reached yet.
func (h *history) differs(other Mark) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.ring)
	if n == 0 || other.Hash == 0 {
		return false
	}
	at := func(i int) Mark { return h.ring[(h.next+i)%n] }
	if other.Index < at(0).Index || other.Index > at(n-1).Index {
		return false
	}
	lo, hi := 0, n-1
	for lo < hi {
		if mid := (lo + hi) / 2; at(mid).Index < other.Index {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return at(lo) != other // another entry of raft's own may stand there, which is no command
}

// newest is the mark of the newest applied entry, the zero Mark when there is none.
func (h *history) newest() Mark {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.ring)
	if n == 0 {
		return Mark{}
	}
	return h.ring[(h.next+n-1)%n]
}

// Mark is the newest place of this machine's history; the zero Mark while it has none.
func (m *Machine) Mark() Mark { return m.history.newest() }

// Differs tells whether a mark of another node belongs to another history than this
// machine's. It is false if that cannot be known: the place is not reached yet, or it is
// more than 4096 entries ago.
func (m *Machine) Differs(other Mark) bool { return m.history.differs(other) }
