package shard

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shoal/shard/store"
	"shoal/wire"
)

// Symptom: a large delta had been moved into the store when the new version could not
// be read (here: too many open files). Every later attempt looked for the moved files,
// until the node was restarted.
func TestAnInstallThatFailedHalfwayGoesOn(t *testing.T) {
	var armed, failed atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		table := strings.HasSuffix(op.Path, ".sst") && !strings.Contains(op.Path, "staging") && op.Kind == errorfs.OpOpen
		if table && armed.Load() {
			failed.Store(true)
			return syscall.EMFILE
		}
		return nil
	}))
	w := newWorld(t, nil)
	w.replicas = []wire.Replica{{Node: "n1", State: wire.InSync}}
	w.host = openHost(t, fs, func(o *Options) {
		o.limits = store.DefaultLimits
		o.limits.SmallDelta = 1
		w.catalogue(o)
	})
	defer w.close()
	w.commit(add(t, `{"id":1,"title":"granite"}`, `{"id":2,"title":"slate"}`))
	changed := *w.settings
	changed.Filterable = plainRules("title")
	w.settings, w.gens = &changed, wire.Generations{Facet: 1, Text: 1}
	req, reply := w.build()
	if reply.Err != nil {
		t.Fatal(reply.Err)
	}
	w.version, w.delta = req.Base+1, req.DeltaID
	w.deltas = append(w.deltas, wire.Delta{Version: w.version, ID: w.delta})
	armed.Store(true)
	if _, err := w.host.Publish(w.index(), testKey.Shard); err == nil || !failed.Load() {
		t.Fatalf("nothing failed: %v", err)
	}
	armed.Store(false)
	// The store shares the result of opening a file among concurrent callers, including
	// its own metrics collectors. The next attempt may therefore still see the failure.
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		_, err := w.host.Publish(w.index(), testKey.Shard)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EMFILE) || time.Since(begun) > 10*time.Second {
			t.Fatalf("the next attempt: %v", err)
		}
	}
	v := w.view()
	defer func() { _ = v.Close() }()
	fid, _ := v.FieldID("title")
	set, err := v.String(fid, "granite")
	if err != nil || set.Len() != 1 {
		t.Errorf("found in %d documents: %v", set.Len(), err)
	}
}
