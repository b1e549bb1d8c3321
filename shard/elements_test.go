package shard

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/query/filter"
	evaluate "shoal/shard/filter"
	"shoal/shard/memindex"
	"shoal/shard/store"
	"shoal/wire"
)

// braces are filters on the objects of random documents.
var braces = []string{
	"d.{u EXISTS AND v EXISTS}", "d.{u > 1}", "d.{u = 2 OR v = 3}", "d.{NOT u EXISTS}", "d.{u >= 0 AND v <= 4}",
	"e.{u IS NULL OR u IS EMPTY}", "e.{v CONTAINS a}", "e.{v.{u EXISTS}}", "e.v.{u EXISTS OR v EXISTS}", "e.{u IN [true, 2.5, 1]}", "NOT e.{u STARTS WITH b}",
}

// selects compares what filters in braces select with what the documents say.
func (w *world) selects(when string) (found int) {
	w.t.Helper()
	docs := map[uint32]string{}
	for _, d := range w.docs {
		docs[d.ord] = string(w.stored(d))
	}
	plain := memindex.New(w.settings, w.fields, docs)
	v := w.view()
	defer func() {
		if err := v.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	for _, text := range braces {
		f, fault := filter.ParseFilterText(text)
		if fault != nil {
			w.t.Fatal(fault)
		}
		want, err := evaluate.Evaluate(w.t.Context(), plain, f, apierr.CodeInvalidSearchFilter)
		if err != nil {
			w.t.Fatal(err)
		}
		for range 2 { // read from the store, and from what is kept
			got, err := evaluate.Evaluate(w.t.Context(), v, f, apierr.CodeInvalidSearchFilter)
			if err != nil || !got.Equal(want) {
				w.t.Fatalf("%s: %s: %v %v, want %v", when, text, got.AppendTo(nil), err, want.AppendTo(nil))
			}
		}
		found += want.Len()
	}
	return found
}

// Braces select by the documents of the moment: after additions, replacements, updates of
// some members, deletions, and settings that index objects, no longer, and again.
func TestObjectsAreFoundThroughAllChanges(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	found := 0
	for round := range rounds(4, 1) {
		change := []func(*Options){}
		if round%2 == 0 {
			change = append(change, lowLimits)
		}
		w := newWorld(t, openHost(t, vfs.NewMem(), change...))
		with, without := settings.Default(), settings.Default()
		with.Filterable = []settings.FilterableRule{objectRule("d", "e")}
		without.Filterable = plainRules("d", "e")
		w.settings = with
		for step := range 20 {
			var ops []wire.Op
			switch step % 7 {
			case 4:
				w.settings = without
				w.gens.Facet++
			case 5:
				w.settings = with
				w.gens.Facet++
			default:
				ops = w.randomOps(r)
			}
			w.commit(ops...)
			w.check()
			if w.settings == with {
				found += w.selects(fmt.Sprintf("round %d, step %d", round, step))
			}
		}
		w.close()
	}
	if found < 50 {
		t.Errorf("the filters found %d documents, which tests little", found)
	}
}

// Who does not ask for it pays nothing: the store has no lists of elements.
func TestObjectsAreIndexedBySettingsAlone(t *testing.T) {
	for _, asked := range []bool{false, true} {
		w := newWorld(t, openHost(t, vfs.NewMem()))
		w.settings.Filterable = plainRules("d")
		if asked {
			w.settings.Filterable = []settings.FilterableRule{objectRule("d")}
		}
		w.commit(add(t, `{"id":1,"d":[{"u":1,"v":2}]}`))
		v, lists := w.view(), 0
		for key := range dump(t, v.Version) {
			if strings.HasPrefix(key, string(rune(store.TableElement))+":") {
				lists++
			}
		}
		if lists > 0 != asked {
			t.Errorf("asked %v: %d lists of elements", asked, lists)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		w.close()
	}
}
