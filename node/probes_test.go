package node

import (
	"slices"
	"testing"

	"shoal/wire"
)

// TestANodeIsReadyWithoutItsCopiesBecauseGossipHasReachedNobody: it heard from a leader before
// its gossip, which was waiting for a seed that is gone, had reached anybody. All others
// seemed to be gone, so that nobody could give what its copies lacked, and it was ready for
// good.
func TestANodeIsReadyWithoutItsCopiesBecauseGossipHasReachedNobody(t *testing.T) {
	index := func(mine, other wire.ReplicaState) *wire.Index {
		return &wire.Index{Shards: []wire.Shard{{Replicas: []wire.Replica{{Node: "this", State: mine}, {Node: "other", State: other}}}}}
	}
	behind, copied := index(wire.InSync, wire.InSync), index(wire.CaughtUp, wire.InSync)
	sound, lone := index(wire.InSync, wire.InSync), index(wire.InSync, wire.CaughtUp)
	elsewhere := &wire.Index{Shards: []wire.Shard{{Replicas: []wire.Replica{{Node: "other", State: wire.InSync}}}}}
	all := []*wire.Index{behind, copied, sound, lone, elsewhere}
	for _, c := range []struct {
		what  string
		alone bool
		up    []wire.NodeID
		want  int
	}{
		{"gossip has reached nobody", true, nil, 2},
		{"it has, and the other node is there", false, []wire.NodeID{"this", "other"}, 2},
		{"it has, and the other node is gone", false, []wire.NodeID{"this", "third"}, 0},
	} {
		here := &copiesHere{
			self: "this", alone: c.alone, alive: func(id wire.NodeID) bool { return slices.Contains(c.up, id) },
			whole: func(x *wire.Index, _ uint16) bool { return x == sound },
		}
		if got := here.lacking(all); got != c.want {
			t.Errorf("%s: %d copies are waited for, not %d", c.what, got, c.want)
		}
	}
}
