package shard

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// committed builds a batch and does what the log does on its commit, before the
// catalogue shows it. It returns the replica.
func committed(t *testing.T, w *world) *replica {
	t.Helper()
	req, reply := w.build(wire.Op{Kind: wire.OpReplace, Payload: payloadOf(t, `{"id":`+string(rune('1'+w.version))+`,"title":"sun"}`)})
	if reply.Err != nil {
		t.Fatal(reply.Err)
	}
	w.version, w.delta = req.Base+1, req.DeltaID
	w.deltas = append(w.deltas, wire.Delta{Version: w.version, ID: w.delta})
	r, err := w.host.replicas.loaded(testKey)
	if err != nil {
		t.Fatal(err)
	}
	w.host.Committed([]*wire.Index{w.index()})
	return r
}

// Symptom: the first search after a commit waited for the install of its delta.
func TestTheFirstSearchAfterACommitFindsItInEffect(t *testing.T) {
	h := openHost(t, vfs.NewMem())
	w := newWorld(t, h)
	r := committed(t, w)
	if got := r.newest.Load(); got != 1 {
		t.Fatalf("version %d is in effect when the commit is shown, want 1", got)
	}
	if err := w.view().Close(); err != nil {
		t.Fatal(err)
	}
	w.install()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// A slow shard does not hold up the log for long, and only one call of Committed waits
// at a time. What it did not wait for still takes effect.
func TestACommitDoesNotWaitLongForAShard(t *testing.T) {
	h := openHost(t, vfs.NewMem())
	w := newWorld(t, h)
	r := committed(t, w)
	r.installing.Lock()
	committed(t, w) // or it hangs
	if got := r.newest.Load(); got != 1 {
		t.Fatalf("version %d is in effect, want 1", got)
	}
	if h.committing.TryLock() {
		t.Fatal("nobody installs any more")
	}
	h.Committed([]*wire.Index{w.index()}) // returns at once
	r.installing.Unlock()
	if err := w.view().Close(); err != nil {
		t.Fatal(err)
	}
	if got := r.newest.Load(); got != 2 {
		t.Fatalf("version %d is in effect, want 2", got)
	}
	if err := h.Close(); err != nil { // waits for the install
		t.Fatal(err)
	}
	if !h.committing.TryLock() {
		t.Fatal("the host was closed under an install")
	}
}
