package shard

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// A value that no document had any more when a field became filterable again was
// still found in those that had had it before: the set of that time was kept.
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
