package wire

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Guard identifies the index record on which a Commit or Update is based.
type Guard struct {
	IndexID uint32 `msgpack:"i"`
	Version uint64 `msgpack:"v"`
	// Aims must equal Index.Aims, unless it is 0 as in entries of older programs.
	Aims uint64 `msgpack:"a"`
}

// Aims returns a digest of the parts of a record that no version covers: the wanted numbers of
// shards and replicas, and the shards being built. It is never 0.
func (x *Index) Aims() uint64 {
	b := binary.AppendVarint(nil, int64(x.ReplicaGoal))
	b = binary.AppendVarint(b, int64(x.ShardGoal))
	for i := range x.Next {
		s := &x.Next[i]
		b = binary.AppendUvarint(b, uint64(s.Number))
		b = binary.AppendUvarint(b, uint64(s.SlotLo))
		b = binary.AppendUvarint(b, uint64(s.SlotHi))
	}
	return max(xxhash.Sum64(b), 1)
}

// GuardOf returns the guard on the present record.
func GuardOf(x *Index) Guard { return Guard{IndexID: x.ID, Version: x.Version, Aims: x.Aims()} }

// Holds tells whether a record (nil for none) is the one that the guard identifies.
func (g *Guard) Holds(x *Index) bool {
	return x != nil && x.Version == g.Version && (g.Aims == 0 || g.Aims == x.Aims())
}
