package shard

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The janitor looked at each of ten thousand shards once a second, whether there was
// anything to do or not.
func TestTheJanitorLeavesShardsAloneThatHaveNothingOld(t *testing.T) {
	fs := vfs.NewMem()
	w := newWorld(t, openHost(t, fs))
	defer w.close()
	for round := range 2 {
		w.commit(add(t, `{"id":1,"title":"first"}`))
		w.commit(add(t, `{"id":1,"title":"second"}`))
		if got := w.host.restless.list(); len(got) != 1 {
			t.Fatalf("round %d: %d shards with older versions are looked at", round, len(got))
		}
		w.host.tidy(w.host.o.Now().Add(2 * keepDeltas))
		if got := w.host.restless.list(); len(got) != 0 {
			t.Fatalf("round %d: a shard without older versions and deltas is looked at", round)
		}
	}
	w.commit(add(t, `{"id":1,"title":"third"}`))
	w.reopen(fs)
	if w.covered(); len(w.host.restless.list()) != 1 {
		t.Error("a shard that has kept deltas over a restart is not looked at")
	}
}
