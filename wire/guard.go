package wire

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Guard identifies the index record on which a Commit or Update is based.
type Guard struct {
	IndexID uint32 `msgpack:"i"`
	Version uint64 `msgpack:"v"`
	// Aims, when not 0, must equal Index.Aims. All nodes must know AimsSince.
	Aims uint64 `msgpack:"a"`
}

// AimsSince is the Version that brought Guard.Aims.
const AimsSince = 4

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

// GuardOf returns the guard on the present record, for a log of version spoken.
func GuardOf(spoken int, x *Index) Guard {
	g := Guard{IndexID: x.ID, Version: x.Version}
	if spoken >= AimsSince {
		g.Aims = x.Aims()
	}
	return g
}

// Holds tells whether a record (nil for none) is the one that the guard identifies.
func (g *Guard) Holds(x *Index) bool {
	return x != nil && x.Version == g.Version && (g.Aims == 0 || g.Aims == x.Aims())
}
