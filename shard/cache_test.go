package shard

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
	"shoal/wire"
)

// A value that no document had any more when its field became filterable again was
// still found in its former documents, because the old set was still cached.
func TestAValueGoneWhenItsFieldIsFilterableAgainIsNotFound(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	filterable := *w.settings
	filterable.Filterable = plainRules("stone")
	plain := *w.settings
	w.settings, w.gens = &filterable, wire.Generations{Facet: 1}
	w.commit(add(t, `{"id":1,"stone":"granite"}`, `{"id":2,"stone":"slate"}`))
	found := func() int {
		t.Helper()
		v := w.view()
		fid, _ := v.FieldID("stone")
		set, err := v.String(fid, "granite")
		if err := errors.Join(err, v.Close()); err != nil {
			t.Fatal(err)
		}
		return set.Len()
	}
	if n := found(); n != 1 {
		t.Fatalf("found in %d documents", n)
	}
	w.settings, w.gens = &plain, wire.Generations{Facet: 2}
	w.commit(add(t, `{"id":1,"stone":"slate"}`))
	w.settings, w.gens = &filterable, wire.Generations{Facet: 3}
	w.commit()
	if n := found(); n != 0 {
		t.Errorf("a value that is gone is found in %d documents", n)
	}
	w.close()
}

// Symptom: after each batch of some thousand documents, the words of the shard and the
// posting lists of searches were read from the store again.
func TestALargeBatchKeepsCachedWordsAndPostings(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem(), func(o *Options) { o.limits = store.DefaultLimits; o.limits.SmallDelta = 1 }))
	defer w.close()
	w.commit(add(t, `{"id":1,"title":"granite"}`, `{"id":2,"title":"slate"}`))
	before := w.view()
	defer func() { _ = before.Close() }()
	kept, err := before.Word("granite")
	if err != nil || kept.Len() != 1 {
		t.Fatalf("found in %d documents: %v", kept.Len(), err)
	}
	w.commit(add(t, `{"id":2,"title":"granite and slate"}`, `{"id":3,"title":"marble"}`), wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"1"}})
	after := w.view()
	defer func() { _ = after.Close() }()
	if !after.Follows(before.Version) {
		t.Error("what was kept is forgotten")
	}
	if kept, err = after.Word("granite"); err != nil || kept.Len() != 1 || kept.Contains(0) {
		t.Errorf("after the batch granite is found in %v: %v", kept.AppendTo(nil), err)
	}
	if words, _, err := after.Dictionaries(); err != nil || words.Count("slate") != 1 || words.Count("marble") != 1 {
		t.Errorf("slate counts %d: %v", words.Count("slate"), err)
	}
}
