package shard

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// rehearsals counts the pending deltas with a prepared install.
func (w *world) rehearsals() (n int) {
	w.t.Helper()
	r, err := w.host.replica(w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pending {
		if p.rehearsed != nil {
			n++
		}
	}
	return n
}

// memoryHolds compares the structures in memory of the newest version with the store.
func (w *world) memoryHolds() {
	w.t.Helper()
	v := w.view()
	defer func() { _ = v.Close() }()
	w.checkMemory(v)
}

// Symptom: a search right after a commit waited until the words of a large delta had
// been read and merged, 20 ms of CPU for 5,000 documents.
func TestAnInstallIsPreparedBeforeItsCommit(t *testing.T) {
	for name, limit := range map[string]func(*Options){"one value": func(*Options) {}, "table files": lowLimits} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			w := newWorld(t, openHost(t, fs, limit))
			defer func() { w.close() }()
			w.commit(add(t, commonWords(0, 100, "")...))
			first, _ := w.build(add(t, commonWords(50, 150, " first")...))
			if n := w.rehearsals(); n != 1 {
				t.Fatalf("%d deltas are rehearsed, want 1", n)
			}
			w.build(add(t, commonWords(80, 120, " other")...)) // an attempt that loses
			w.advance(first)
			w.install()
			if n := w.rehearsals(); n != 0 {
				t.Errorf("%d deltas are rehearsed for the version before", n)
			}
			w.memoryHolds()
			// A rehearsal is lost with the process.
			second, _ := w.build(add(t, commonWords(0, 30, " second")...))
			w.reopen(fs, limit)
			if n := w.rehearsals(); n != 0 {
				t.Errorf("%d deltas are rehearsed after a restart", n)
			}
			w.advance(second)
			w.install()
			w.memoryHolds()
		})
	}
}
