package node

import (
	"testing"

	"shoal/wire"
)

// All copies of a payload could be in one zone, and an acknowledged write could be lost
// with that zone.
func TestPayloadsAreStoredInAsManyZonesAsThereAre(t *testing.T) {
	node := func(name, zone string) *wire.Node { return &wire.Node{ID: wire.NodeID(name), Zone: zone} }
	got := ""
	for _, n := range byZone([]*wire.Node{node("a2", "a"), node("a3", "a"), node("b1", "b"), node("b2", "b"), node("c1", "c")}, map[string]int{"a": 1}) {
		got += string(n.ID) + " "
	}
	if want := "b1 c1 a2 b2 a3 "; got != want {
		t.Errorf("after a node of zone a: %s, want %s", got, want)
	}
}
