package analytics

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/google/uuid"

	"shoal/wire"
)

// remembered is how many queries can still be clicked: the last ones of this node whose answers
// had a uid.
const remembered = 16_384

// recent remembers the queries of uids. It is used by one goroutine at a time.
type recent struct {
	of   map[uuid.UUID]key
	ring []uuid.UUID
	next int
}

func newRecent() *recent { return &recent{of: map[uuid.UUID]key{}} }

func (r *recent) add(uid string, k key) {
	id, err := uuid.Parse(uid)
	if err != nil {
		return // only uids of ours come here
	}
	if len(r.ring) < remembered {
		r.ring = append(r.ring, id)
	} else {
		delete(r.of, r.ring[r.next])
		r.ring[r.next] = id
		r.next = (r.next + 1) % remembered
	}
	r.of[id] = k
}

func (r *recent) find(uid string) (key, bool) {
	id, err := uuid.Parse(uid)
	if err != nil {
		return key{}, false
	}
	k, ok := r.of[id]
	return k, ok
}

// TagOf returns the mark of a node in uids: twelve bits, which two nodes may share.
func TagOf(node wire.NodeID) uint16 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(node)) // never fails
	return uint16(h.Sum32()>>20) & 0xfff
}

// QueryUID returns a uid for a query that this node answers: a UUID of version 7, whose twelve
// bits for a sequence hold the mark of the node. So an event that comes to another node finds
// this one.
func (r *Recorder) QueryUID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	binary.BigEndian.PutUint16(id[6:], 0x7000|r.cfg.Tag)
	return id.String(), nil
}

// TagIn returns the mark in a uid; false if it is none of ours.
func TagIn(uid string) (uint16, bool) {
	id, err := uuid.Parse(uid)
	if err != nil || id.Version() != 7 {
		return 0, false
	}
	return binary.BigEndian.Uint16(id[6:]) & 0xfff, true
}
