package shard

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shoal/api/settings"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

func add(t *testing.T, docs ...string) wire.Op {
	return wire.Op{Kind: wire.OpReplace, Payload: payloadOf(t, docs...)}
}

func update(t *testing.T, docs ...string) wire.Op {
	return wire.Op{Kind: wire.OpUpdate, Payload: payloadOf(t, docs...)}
}

func TestDocumentsAreAddedReplacedMergedAndDeleted(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.settings.Filterable = plainRules("kind", "size")
	docs := []string{`{"id":1,"title":"The quick fox","kind":"A","size":3}`, `{"id":"b","title":"lazy dog","kind":["A","B"],"o":{"x":null}}`}
	before := w.taken()
	for _, d := range docs {
		w.put(before, d, false)
	}
	reply := w.commit(add(t, docs...))
	if reply.Stats.Documents != 2 || !slices.Equal(reply.Holders, []wire.NodeID{"n1"}) || reply.Bytes == 0 {
		t.Fatalf("reply %+v", reply)
	}
	w.check()

	// Replace one, merge into the other, add a third in one batch.
	before = w.taken()
	w.put(before, `{"id":1,"title":"quick brown fox"}`, false)
	w.put(before, `{"id":"b","kind":null,"new":true}`, true)
	w.put(before, `{"id":"c","title":"third"}`, true)
	w.commit(add(t, `{"id":1,"title":"quick brown fox"}`), update(t, `{"id":"b","kind":null}`, `{"id":"b","new":true}`, `{"id":"c","title":"third"}`))
	w.check()

	// Delete one known and one unknown document. The next new one reuses the ordinal.
	delete(w.docs, "b")
	reply = w.commit(wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"b", "nope"}})
	if reply.Counts[0].Matched != 1 {
		t.Fatalf("counts %+v", reply.Counts)
	}
	w.check()
	w.put(w.taken(), `{"id":"z","title":"fills the hole"}`, false)
	w.commit(add(t, `{"id":"z","title":"fills the hole"}`))
	if w.docs["z"].ord != 1 {
		t.Fatalf("ordinal %d", w.docs["z"].ord)
	}
	w.check()

	// An unchanged document changes only the version.
	req, reply := w.build(add(t, `{"title":"fills the hole","id":"z"}`))
	if reply.Bytes > 300 {
		t.Fatalf("an unchanged document makes a delta of %d bytes", reply.Bytes)
	}
	w.advance(req)
	w.check()
	w.close()
}

func TestOperationsOfOneBatch(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	before := w.taken()
	w.put(before, `{"id":1,"a":"x"}`, false)
	w.put(before, `{"id":2,"a":"y"}`, false)
	w.commit(add(t, `{"id":1,"a":"x"}`, `{"id":2,"a":"y"}`))

	// Deleted and added again in one batch: the ordinal stays, the content does not.
	// Added and deleted: the ordinal is used up. Skipped: nothing happens.
	before = w.taken()
	w.docs["1"] = twinDoc{w.docs["1"].ord, map[string]string{"id": "1", "b": `"new"`}}
	before[2], before[3] = true, true
	w.put(before, `{"id":6,"a":"last"}`, false)
	skip := update(t, `{"id":5,"a":"skipped"}`, `{"id":2,"c":"kept"}`)
	skip.SkipCreation = true
	w.put(before, `{"id":2,"c":"kept"}`, true)
	w.commit(
		update(t, `{"id":1,"c":"lost"}`),
		wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"1"}},
		update(t, `{"id":1,"b":"new"}`),
		add(t, `{"id":4,"a":"gone"}`),
		wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"4"}},
		skip,
		add(t, `{"id":6,"a":"first"}`, `{"id":6,"a":"last"}`),
	)
	w.check()
	w.close()
}

func TestDocumentsAreDeletedByFilterAndCleared(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.settings.Filterable = plainRules("a")
	before := w.taken()
	docs := []string{`{"id":1,"a":"red"}`, `{"id":2,"a":"red green"}`, `{"id":3,"a":"green"}`}
	for _, d := range docs {
		w.put(before, d, false)
	}
	w.commit(add(t, docs...))
	delete(w.docs, "1")
	delete(w.docs, "2")
	reply := w.commit(wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"1"}}, wire.Op{Kind: wire.OpDeleteFilter, Filter: []byte(`"a = 'red green'"`)})
	if reply.Counts[0].Matched != 1 || reply.Counts[1].Matched != 1 {
		t.Fatalf("counts %+v", reply.Counts)
	}
	w.check()
	clear(w.docs)
	w.put(w.taken(), `{"id":9,"a":"after"}`, false)
	w.docs["9"] = twinDoc{0, w.docs["9"].members}
	reply = w.commit(wire.Op{Kind: wire.OpClear}, wire.Op{Kind: wire.OpClear}, add(t, `{"id":9,"a":"after"}`))
	if reply.Counts[0].Matched != 1 || reply.Counts[1].Matched != 0 {
		t.Fatalf("counts %+v", reply.Counts)
	}
	w.check()
	w.close()
}

func TestSettingsRebuildTheirTableGroups(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	before := w.taken()
	docs := []string{`{"id":1,"a":"red Fox","n":3}`, `{"id":2,"a":"the red","b":{"c":[1,"x"]}}`}
	for _, d := range docs {
		w.put(before, d, false)
	}
	w.commit(add(t, docs...))
	w.check()

	s := *w.settings
	s.StopWords, s.Filterable = []string{"the"}, plainRules("n", "b.c")
	s.TypoTolerance.DisableOnNumbers = true
	w.settings, w.gens = &s, wire.Generations{Text: 1, Facet: 1}
	w.commit()
	w.check()

	// Facets only, together with documents.
	s2 := s
	s2.Filterable, s2.Sortable = nil, []string{"a"}
	w.settings, w.gens = &s2, wire.Generations{Text: 1, Facet: 2}
	delete(w.docs, "1")
	w.put(w.taken(), `{"id":2,"a":"blue"}`, true)
	w.commit(wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"1"}}, update(t, `{"id":2,"a":"blue"}`))
	w.check()

	// Clear and settings in one batch.
	w.settings, w.gens = &s, wire.Generations{Text: 2, Facet: 3}
	clear(w.docs)
	w.commit(wire.Op{Kind: wire.OpClear})
	w.check()
	w.close()
}

func TestBuildErrors(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.settings.Sortable = []string{"_geo"}
	_, reply := w.build(add(t, `{"id":1,"_geo":{"lat":1,"lng":2}}`, `{"id":2,"_geo":7}`, `{"id":3,"_geo":8}`))
	want := "Index `idx`: The `_geo` field in the document with the id: `\"2\"` is not an object. Was expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got `7`."
	if reply.Err == nil || reply.Err.Failure.Message != want || reply.Err.Task != 100 || reply.Err.Position != 1 || reply.Err.FailsTask {
		t.Fatalf("error %+v", reply.Err)
	}
	_, reply = w.build(add(t, `{"id":1,"x":1e999}`))
	if reply.Err == nil || reply.Err.Failure.Code != "internal" {
		t.Fatalf("error %+v", reply.Err)
	}
	w.check()
	w.close()
}

func TestVersions(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	ctx := context.Background()
	w.put(w.taken(), `{"id":1,"a":"one"}`, false)
	w.commit(add(t, `{"id":1,"a":"one"}`))
	first := w.view()
	firstDelta := w.delta
	req, _ := w.build(add(t, `{"id":2,"a":"two"}`))
	_, err := w.host.View(ctx, &wire.PinnedIndex{Key: testKey, Version: 9, DeltaID: "unknown"})
	mustBehind(t, err, wire.ErrBehind)

	// A request that names the pending delta proves its commit.
	v, err := w.host.View(ctx, &wire.PinnedIndex{Key: testKey, Version: 2, DeltaID: req.DeltaID})
	if err != nil || v.Live().Len() != 2 || v.State().Version != 2 {
		t.Fatalf("view %v", err)
	}
	// The replaced version is still there, unchanged.
	again, err := w.host.View(ctx, &wire.PinnedIndex{Key: testKey, Version: 1, DeltaID: firstDelta})
	if err != nil || again.Live().Len() != 1 {
		t.Fatalf("view %v", err)
	}
	if set, err := again.Word("two"); err != nil || !set.Empty() {
		t.Fatalf("an old view sees a new word: %v", err)
	}
	if err := w.host.Close(); err == nil {
		t.Fatal("open views are not reported")
	}
	for _, v := range []*version.View{first, again, v} {
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.host.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.host.View(ctx, &wire.PinnedIndex{Key: testKey}); !errors.Is(err, wire.ErrClosed) {
		t.Fatalf("view of a closed host: %v", err)
	}
}

func TestFilesOfADeltaThatAllReplicasHoldGoAtOnce(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem(), func(o *Options) { o.limits = store.DefaultLimits; o.limits.SmallDelta = 1 }))
	staged := func() int {
		t.Helper()
		names, err := w.host.store.FS.List(w.host.store.Staging)
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	w.replicas = []wire.Replica{{Node: "n1", State: wire.InSync}, {Node: "n2", State: wire.Copying}}
	w.commit(add(t, `{"id":1,"a":"one"}`))
	if staged() == 0 {
		t.Fatal("the delta another replica lacks is gone")
	}
	w.replicas[1].State = wire.InSync
	w.commit(add(t, `{"id":2,"a":"two"}`))
	if n := staged(); n > 0 {
		t.Fatalf("%d files are kept for nobody", n)
	}
	v := w.view()
	if set, err := v.Word("two"); err != nil || set.Len() != 1 {
		t.Fatalf("the document is not there: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	w.close()
}

// Symptom: second names for the files of a large delta made the folder look twice as
// large.
func TestFilesThatNoReplicaLacksAreMoved(t *testing.T) {
	for _, alone := range []bool{false, true} {
		var links atomic.Int64
		count := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpLink {
				links.Add(1)
			}
			return nil
		})
		var w *world
		host := openHost(t, errorfs.Wrap(vfs.NewMem(), count), func(o *Options) {
			o.limits = store.DefaultLimits
			o.limits.SmallDelta = 1
			o.Index = func(uint32) (*wire.Index, bool) { return w.index(), true }
		})
		w = newWorld(t, host)
		w.replicas = []wire.Replica{{Node: "n1", State: wire.InSync}, {Node: "n2", State: wire.InSync}}
		if !alone {
			w.replicas[1].State = wire.Copying
		}
		_, reply := w.build(add(t, `{"id":1,"a":"one"}`))
		if reply.Err != nil {
			t.Fatal(reply.Err)
		}
		before := links.Load()
		w.commit(add(t, `{"id":1,"a":"one"}`))
		per := int64(1) // for the store itself
		if !alone {
			per = 2
		}
		if got := links.Load() - before; got != per {
			t.Errorf("nobody lacks it: %v; %d links for one file, want %d", alone, got, per)
		}
		w.close()
	}
}

func TestVersionsInUseOutliveTheRetention(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.commit(add(t, `{"id":1,"a":"one"}`))
	old := w.delta
	w.commit(add(t, `{"id":2,"a":"two"}`))
	w.host.janitor.tidy(w.host.now().Add(retention / 2))
	pinned := &wire.PinnedIndex{Key: testKey, Version: 1, DeltaID: old}
	v, err := w.host.View(context.Background(), pinned)
	if err != nil {
		t.Fatal(err)
	}
	w.host.janitor.tidy(w.host.now().Add(2 * retention))
	if set, err := v.Word("one"); err != nil || set.Len() != 1 {
		t.Fatalf("a version in use was closed: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	w.host.janitor.tidy(w.host.now().Add(2 * retention))
	_, err = w.host.View(context.Background(), pinned)
	mustBehind(t, err, wire.ErrGone)
	if n := w.host.shared.Open.Load(); n != 1 {
		t.Fatalf("%d versions are open", n)
	}
	w.host.janitor.tidy(w.host.now().Add(2 * keepDeltas))
	mustBehind(t, w.host.Send(&wire.PendingRef{Key: testKey, DeltaID: old}, nil), wire.ErrGone)
	w.close()
}

// TestSettingsThatCoverShapesFailForAWrongOne: patterns had none checked. They do so once, when
// no rule covered _geojson before.
func TestSettingsThatCoverShapesFailForAWrongOne(t *testing.T) {
	pattern := func(patterns ...string) []settings.FilterableRule {
		return []settings.FilterableRule{{Patterns: patterns}}
	}
	for _, c := range []struct {
		old, fresh []settings.FilterableRule
		want       string
	}{
		{nil, pattern("**"), "Index `idx`: Expected an owned Object, but got `3`"},
		{nil, pattern("x", "_geojson"), "Index `idx`: Expected an owned Object, but got `3`"},
		{nil, plainRules("_geojson"), "Index `idx`: Expected an owned Object, but got `3`"},
		{nil, pattern("_geo"), ""},
		{pattern("*"), pattern("_geo*"), ""},
	} {
		w := newWorld(t, openHost(t, vfs.NewMem()))
		w.settings.Filterable = c.old
		w.commit(add(t, `{"id":1,"_geojson":3}`))
		s := *w.settings
		s.Filterable = c.fresh
		w.settings, w.gens = &s, wire.Generations{Facet: 1}
		_, reply := w.build()
		got := ""
		if reply.Err != nil {
			got = reply.Err.Failure.Message
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.fresh, got, c.want)
		}
		w.close()
	}
}

// The settings fail because of _geo, though none of them uses it.
func TestSettingsThatReadDocumentsAgainFailForAWrongGeo(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	defer w.close()
	w.commit(add(t, `{"id":1,"_geo":{"lat":1,"lng":2}}`, `{"id":2,"_geo":[]}`, `{"id":3,"_geo":{"lat":1}}`))
	s := *w.settings
	s.StopWords = []string{"the"}
	old, gens := w.settings, w.gens
	w.settings, w.gens = &s, wire.Generations{Text: 1}
	_, reply := w.build()
	want := "Index `idx`: The `_geo` field in the document with the id: `\"2\"` is not an object. Was expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got `[]`."
	if reply.Err == nil || reply.Err.Failure.Message != want || reply.Err.Failure.Code != "invalid_document_geo_field" {
		t.Fatalf("%+v", reply.Err)
	}
	// Rewriting the same settings, as after a change of format, checks no documents.
	w.settings, w.gens = old, gens
	w.gens.Text++
	if _, reply := w.build(); reply.Err != nil {
		t.Fatal(reply.Err)
	}
}
