package shard

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// preparedInstalls counts the pending deltas with a prepared install.
func (w *world) preparedInstalls() (n int) {
	w.t.Helper()
	r, err := w.host.replicas.loaded(w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pending {
		if p.prepared != nil {
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
			if n := w.preparedInstalls(); n != 1 {
				t.Fatalf("%d installs are prepared, want 1", n)
			}
			w.build(add(t, commonWords(80, 120, " other")...)) // an attempt that loses
			w.advance(first)
			w.install()
			if n := w.preparedInstalls(); n != 0 {
				t.Errorf("%d installs are prepared for the version before", n)
			}
			w.memoryHolds()
			// A prepared install is lost with the process.
			second, _ := w.build(add(t, commonWords(0, 30, " second")...))
			w.reopen(fs, limit)
			if n := w.preparedInstalls(); n != 0 {
				t.Errorf("%d installs are prepared after a restart", n)
			}
			w.advance(second)
			w.install()
			w.memoryHolds()
		})
	}
}
