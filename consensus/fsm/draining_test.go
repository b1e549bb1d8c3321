package fsm

import (
	"testing"

	"shoal/wire"
)

// The leader reads a node, changes what gossip says of it and writes the whole node. A drain
// that comes between was acknowledged, and must not be undone.
func TestADescriptionThatWasMadeBeforeADrainLeavesItsMark(t *testing.T) {
	s := newScript(t)
	node := func() *wire.Node {
		n, ok := s.fsm.Catalog.Load().Node("a")
		if !ok {
			t.Fatal("the node is not in the catalogue")
		}
		return n
	}
	put := func(c wire.Change) bool {
		return !s.do(&wire.Command{Update: &wire.Update{Changes: []wire.Change{c}}}).Fenced
	}
	drain := func(on bool) bool {
		return put(wire.Change{PutDraining: &wire.DrainingChange{Node: "a", Draining: on}})
	}
	if drain(true) {
		t.Error("a node that is not in the catalogue was drained")
	}
	if !put(wire.Change{PutNode: &wire.Node{ID: "a", HTTPAddr: "one", Draining: true}, KeepDraining: true}) || !node().Draining {
		t.Error("a new node does not have the mark of the node whose place it took")
	}
	for _, on := range []bool{false, true} {
		if !drain(on) || node().Draining != on || node().HTTPAddr != "one" {
			t.Errorf("after draining %v: %+v", on, node())
		}
		before := &wire.Node{ID: "a", HTTPAddr: "one", Draining: !on}
		if !put(wire.Change{PutNode: before, KeepDraining: true}) || node().Draining != on {
			t.Errorf("a description undid draining %v: %+v", on, node())
		}
	}
	if !put(wire.Change{PutNode: &wire.Node{ID: "a", HTTPAddr: "two"}}) || node().Draining || node().HTTPAddr != "two" {
		t.Errorf("an entry of a former program has another meaning: %+v", node())
	}
}
