package schedule

import (
	"fmt"
	"testing"

	"shoal/text"
	"shoal/text/dictionary"
	"shoal/wire"
)

func TestADictionaryIsUsedOnceAllNodesHaveIt(t *testing.T) {
	r := newRig(t, "n1", "n2")
	has := func(id wire.NodeID, dictionaries dictionary.Set) {
		t.Helper()
		n, _ := r.log.Catalog().Node(id)
		next := *n
		next.Dictionaries = dictionaries
		put := &wire.Update{RequestID: fmt.Sprint(id, dictionaries), Changes: []wire.Change{{PutNode: &next}}}
		if _, err := r.log.Propose(t.Context(), &wire.Command{Update: put}); err != nil {
			t.Fatal(err)
		}
	}
	r.run()
	has("n2", dictionary.All)
	r.wait(r.add("m", `{"id":1}`))
	old := r.index("m").Generations
	if old.TextFormat != text.Format(0) {
		t.Fatalf("one node has no dictionary, and the index is cut by %s", old.Dictionaries())
	}
	has("n1", dictionary.Korean)
	r.wait(r.add("m", `{"id":2}`))
	if got := r.index("m").Generations; got.Dictionaries() != dictionary.Korean || got.Text != old.Text+1 || got.Facet != old.Facet {
		t.Fatalf("all nodes have the Korean one: %+v after %+v", got, old)
	}
	// A node that lost its file exits. Until then it must not change the index.
	has("n1", 0)
	before := r.index("m").Generations
	r.wait(r.add("m", `{"id":3}`))
	if got := r.index("m").Generations; got != before {
		t.Errorf("a node without it changed the index: %+v, before %+v", got, before)
	}
}
