package shard

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// An import in the order of ordinals writes its records directly to files of their own.
// The shard must hold the same as after any other import.
func TestAnImportInOrdinalOrderHoldsTheSame(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(t, openHost(t, vfs.NewMem(), lowLimits))
	second := newWorld(t, openHost(t, vfs.NewMem(), lowLimits))
	w.replicas = []wire.Replica{{Node: "n1", State: wire.InSync}, {Node: "n2", State: wire.Copying}}
	w.settings.Filterable = plainRules("a", "b.u", "c")
	batch := func(from, to, step int) {
		t.Helper()
		before := w.taken()
		var docs []string
		for id := from; id < to; id += step {
			docs = append(docs, randomDoc(r, id))
			w.put(before, docs[len(docs)-1], false)
		}
		w.commit(add(t, docs...))
		w.check()
		second.catchUp(w)
		second.check()
	}
	batch(0, 150, 1)   // new documents
	batch(150, 300, 1) // after others
	batch(0, 300, 3)   // again in the same order
	w.commit(wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"7", "8"}})
	delete(w.docs, "7")
	delete(w.docs, "8")
	batch(1, 320, 2) // both, some between others
	if names, err := w.host.store.FS.List(w.host.store.Staging); err != nil || len(names) == 0 {
		t.Fatalf("no files of large deltas are kept for the other copy: %v %v", names, err)
	}
	w.close()
	second.close()
}

// Records that were written before a document was refused belong to no delta.
func TestAnImportThatFailsLeavesNoFiles(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem(), lowLimits))
	w.settings.Filterable = plainRules("_geo")
	var docs []string
	for id := range 200 {
		geo := `{"lat":1,"lng":2}`
		if id == 190 {
			geo = `"nowhere"`
		}
		docs = append(docs, fmt.Sprintf(`{"id":%d,"a":"some words of a document","_geo":%s}`, id, geo))
	}
	if _, reply := w.build(add(t, docs...)); reply.Err == nil {
		t.Fatalf("the batch is not refused: %+v", reply)
	}
	if names, err := w.host.store.FS.List(w.host.store.Staging); err != nil || len(names) > 0 {
		t.Errorf("files are left: %v %v", names, err)
	}
	w.close()
}
