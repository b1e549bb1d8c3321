package shard

import (
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// Symptom: the janitor looked at each of ten thousand shards once a second, with or
// without work.
func TestTheJanitorSkipsShardsWithoutOldVersions(t *testing.T) {
	fs := vfs.NewMem()
	w := newWorld(t, openHost(t, fs))
	defer w.close()
	for round := range 2 {
		w.commit(add(t, `{"id":1,"title":"first"}`))
		w.commit(add(t, `{"id":1,"title":"second"}`))
		if got := w.host.worklist.list(); len(got) != 1 {
			t.Fatalf("round %d: %d shards with older versions are looked at", round, len(got))
		}
		w.host.janitor.tidy(w.host.now().Add(2 * keepDeltas))
		if got := w.host.worklist.list(); len(got) != 0 {
			t.Fatalf("round %d: a shard without older versions and deltas is looked at", round)
		}
	}
	w.commit(add(t, `{"id":1,"title":"third"}`))
	w.reopen(fs)
	if w.covered(); len(w.host.worklist.list()) != 1 {
		t.Error("a shard that has kept deltas over a restart is not looked at")
	}
}

// Symptom: a shard that left the node and came back within a second lost its new
// deltas, because the janitor still tidied the former replica.
func TestAShardThatComesBackAtOnceKeepsItsDeltas(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	defer w.close()
	w.commit(add(t, `{"id":1,"title":"first"}`))
	delta := w.deltaOps()
	second := newWorld(t, openHost(t, vfs.NewMem()))
	defer second.close()
	second.sameAs(w)
	receive := func() {
		t.Helper()
		if _, err := second.host.Receive(strings.NewReader(delta)); err != nil {
			t.Fatal(err)
		}
	}
	receive()
	second.install()
	if err := second.host.Drop(testKey); err != nil {
		t.Fatal(err)
	}
	receive()
	second.host.janitor.tidy(second.host.now().Add(2 * keepDeltas))
	second.install()
	v := second.view()
	if n := v.Live().Len(); n != 1 {
		t.Errorf("%d documents", n)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// Symptom: each new index made a node slower. Every new shard deleted the range of its
// columns, which had none, and each reader merged all those ranges again.
func TestNewShardsDeleteNoRanges(t *testing.T) {
	h := openHost(t, vfs.NewMem())
	w := newWorld(t, h)
	defer w.close()
	for id := range uint32(20) {
		if _, err := h.replicas.loaded(wire.ShardKey{IndexID: 100 + id}); err != nil {
			t.Fatal(err)
		}
	}
	w.commit(add(t, `{"id":1,"title":"first"}`))
	if err := h.store.DB.Flush(); err != nil {
		t.Fatal(err)
	}
	levels, err := h.store.DB.SSTables(pebble.WithProperties())
	if err != nil {
		t.Fatal(err)
	}
	for _, tables := range levels {
		for _, table := range tables {
			if n := table.Properties.NumRangeDeletions; n != 0 {
				t.Errorf("%d ranges were deleted", n)
			}
		}
	}
}
