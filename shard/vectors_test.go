package shard

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/record"
	"shoal/shard/vector"
	"shoal/shard/version"
	"shoal/wire"
)

func embedderSettings(names ...string) *settings.Settings {
	s := settings.Default()
	s.Embedders = map[string]json.RawMessage{}
	for _, n := range names {
		s.Embedders[n] = json.RawMessage(`{"source":"userProvided","dimensions":2}`)
	}
	return s
}

// documentOf reads the external id and the JSON of a document.
func documentOf(t *testing.T, v *version.View, ord uint32) (id, doc string) {
	t.Helper()
	r := v.OpenDocuments()
	defer r.Close()
	name, json, _, err := r.Read(ord)
	id, doc = string(name), string(json)
	if err != nil {
		t.Fatal(err)
	}
	return id, doc
}

// vectorsOf renders a document as stored and its embeddings.
func (w *world) vectorsOf(id string) string {
	w.t.Helper()
	v := w.view()
	defer func() { _ = v.Close() }()
	ord, ok, err := v.Row(id)
	if err != nil || !ok {
		w.t.Fatalf("document %s: %v %v", id, ok, err)
	}
	_, doc := documentOf(w.t, v, ord)
	stored, err := v.StoredEmbeddings(ord)
	if err != nil {
		w.t.Fatal(err)
	}
	list, err := record.ParseEmbeddings(stored)
	if err != nil {
		w.t.Fatal(err)
	}
	out := doc
	for _, e := range list {
		out += fmt.Sprintf(" %s:%v", e.Name, e.Values)
		if e.Regenerate {
			out += "!"
		}
	}
	return out
}

func (w *world) wantVectors(id, want string) {
	w.t.Helper()
	if got := w.vectorsOf(id); got != want {
		w.t.Fatalf("document %s is %s, want %s", id, got, want)
	}
}

func TestVectors(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.settings = embedderSettings("a")
	reply := w.commit(add(t, `{"id":1,"_vectors":{"a":[1,2],"x":[3]}}`, `{"id":2,"_vectors":{"a":null}}`, `{"id":3,"_vectors":{"a":{"regenerate":true,"embeddings":[[1,1],[2,2]]}}}`))
	w.wantVectors("1", `{"id":1,"_vectors":{"x":[3]}} a:[1 2]`)
	w.wantVectors("2", `{"id":2} a:[]`)
	w.wantVectors("3", `{"id":3} a:[1 1 2 2]!`)
	if reply.Stats.Embeddings != 3 || reply.Stats.EmbeddedDocuments != 2 {
		t.Fatalf("stats %+v", reply.Stats)
	}

	// A replacement keeps vectors; a deletion in between does not.
	w.commit(add(t, `{"id":1,"n":1}`), update(t, `{"id":2,"_vectors":{"a":[[5,6]]}}`))
	w.wantVectors("1", `{"id":1,"n":1} a:[1 2]`)
	w.wantVectors("2", `{"id":2} a:[5 6]`)
	reply = w.commit(wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"1", "3"}}, add(t, `{"id":1,"_vectors":{"a":[]}}`))
	w.wantVectors("1", `{"id":1} a:[]`)
	if reply.Stats.Embeddings != 1 || reply.Stats.EmbeddedDocuments != 1 {
		t.Fatalf("stats %+v", reply.Stats)
	}
	v := w.view()
	if set, err := v.Vectors(filter.FilterVector{Kind: filter.VectorUserProvided}); err != nil || set.Len() != 2 {
		t.Fatalf("%d documents with vectors, %v", set.Len(), err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}

	// With another embedder, vectors of the removed one return to the document, and
	// come back.
	w.settings, w.gens.Vector = embedderSettings(), 1
	w.commit()
	w.wantVectors("2", `{"id":2,"_vectors":{"a":{"regenerate":false,"embeddings":[[5.0,6.0]]}}}`)
	w.wantVectors("1", `{"id":1,"_vectors":{"a":{"regenerate":false,"embeddings":[]}}}`)
	w.settings, w.gens.Vector = embedderSettings("b"), 2
	if _, reply := w.build(); reply.Err == nil || !strings.Contains(reply.Err.Failure.Message, "no vectors provided for document `1` and at least 1 other") {
		t.Fatalf("an embedder that no document has vectors for: %+v", reply.Err)
	}
	w.settings = embedderSettings("a")
	w.commit()
	w.wantVectors("2", `{"id":2} a:[5 6]`)
	w.close()
}

// TestVectorsToBeGeneratedAgainGoWithTheirEmbedder: they do not return to the document,
// whose members keep their order.
func TestVectorsToBeGeneratedAgainGoWithTheirEmbedder(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.settings = embedderSettings("a", "b")
	w.commit(add(t, `{"id":1,"n":1,"_vectors":{"a":{"regenerate":true,"embeddings":[1,2]},"b":[3,4]}}`, `{"id":2,"_vectors":{"a":[5,6],"b":null}}`,
		`{"id":3,"_vectors":{"a":{"regenerate":false},"b":null}}`)) // the third one opts out by saying nothing more
	w.settings, w.gens.Vector = embedderSettings("b"), 1
	w.commit()
	w.wantVectors("3", `{"id":3,"_vectors":{"a":{"regenerate":false,"embeddings":[]}}} b:[]`)
	w.wantVectors("1", `{"id":1,"n":1} b:[3 4]`)
	w.wantVectors("2", `{"id":2,"_vectors":{"a":{"regenerate":false,"embeddings":[[5.0,6.0]]}}} b:[]`)
	w.close()
}

// Given vectors stay when their embedder is redefined with other dimensions. They do
// not hide vectors of the new length in the same block.
func TestOtherDimensionsKeepGivenVectors(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.settings = embedderSettings("a")
	w.commit(add(t, `{"id":1,"_vectors":{"a":[1,2]}}`, `{"id":2,"_vectors":{"a":null}}`))
	w.settings.Embedders["a"], w.gens.Vector = json.RawMessage(`{"source":"userProvided","dimensions":3}`), 1
	w.commit()
	w.commit(add(t, `{"id":3,"_vectors":{"a":[1,2,3]}}`))
	w.wantVectors("1", `{"id":1} a:[1 2]`)
	v := w.view()
	for target, want := range map[*[]float32]string{{1, 2, 3}: "[3]", {1, 2}: "[1]", {1}: "[]"} {
		near, _, err := v.Nearest(context.Background(), "a", vector.AnyStore, *target, v.Live(), 10)
		ids := []string{}
		for _, n := range near {
			id, _ := documentOf(t, v, n.Row)
			ids = append(ids, id)
		}
		if err != nil || fmt.Sprint(ids) != want {
			t.Errorf("near %v: %v, want %s (%v)", *target, ids, want, err)
		}
	}
	if set, err := v.Vectors(filter.FilterVector{}); err != nil || set.Len() != 2 {
		t.Errorf("documents with vectors: %d, %v", set.Len(), err)
	}
	// A dump must not contain vectors that cannot be imported.
	for ord, want := range []int{0, 0, 1} {
		if shown, err := v.Embeddings(uint32(ord)); err != nil || len(shown) != 1 || len(shown[0].Vectors) != want {
			t.Errorf("document %d shows %v, want %d vectors (%v)", ord+1, shown, want, err)
		}
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	w.close()
}

func TestVectorErrors(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.settings = embedderSettings("a")
	const bad = "Index `idx`: Bad embedder configuration in the document with id: `1`. "
	for doc, want := range map[string]string{
		`{"id":1,"_vectors":{"a":[1,2,3]}}`:           "Index `idx`: Invalid vector dimensions in document with id `1` in `._vectors.a`.\n  - note: embedding #0 has dimensions 3\n  - note: embedder `a` requires 2",
		`{"id":1,"_vectors":{"x":"y"}}`:               bad + "Expected `._vectors.x` to be an array of floats, an array of arrays of floats, or an object with at least the field `regenerate`, but got the string `y`",
		`{"id":1,"_vectors":{"a":{}}}`:                bad + "Missing field `._vectors.a.regenerate`\n  - note: `._vectors.a` must be an array of floats, an array of arrays of floats, or an object with field `regenerate`",
		`{"id":1,"_vectors":{"a":[1,"x"]}}`:           bad + "Invalid value type at `._vectors.a[1]`: expected a number, but found a string: `\"x\"`",
		`{"id":1,"_vectors":{"a":[[1,2],[-1e39,0]]}}`: bad + "Invalid value at `._vectors.a[1][0]`: expected a number in the range of 32-bit floats, but found `-1e+39`",
		`{"id":1,"_vectors":"x"}`:                     "Index `idx`: invalid type: string \"x\", expected a map at line 1 column 3",
		`{"id":1,"_vectors": null }`:                  "Index `idx`: invalid type: null, expected a map at line 1 column 4",
		`{"id":1,"_vectors":[1]}`:                     "Index `idx`: invalid type: sequence, expected a map at line 1 column 0",
		`{"id":1,"_vectors":[1e999]}`:                 "Index `idx`: invalid type: sequence, expected a map at line 1 column 0",
		`{"id":1,"_vectors":1e999}`:                   "Index `idx`: number out of range at line 1 column 5",
		`{"id":1}`:                                    "Index `idx`: While embedding documents for embedder `a`: no vectors provided for document `1` and at least 1 other document(s)\n- Note: `a` has `source: userProvided`, so documents must provide embeddings as an array in `_vectors.a`.\n- Hint: opt-out for a document with `_vectors.a: null`",
	} {
		_, reply := w.build(add(t, doc, `{"id":2}`))
		if reply.Err == nil || reply.Err.Failure.Message != want {
			t.Errorf("%s: %+v, want %s", doc, reply.Err, want)
		}
	}
	w.close()
}

func TestResolveAndDrop(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.put(w.taken(), `{"id":1,"a":"x"}`, false)
	w.commit(add(t, `{"id":1,"a":"x"}`))
	op := add(t, `{"id":1}`, `{"id":7}`, `{"id":8}`, `{"id":7}`)
	op.FirstPos = 100
	reply, err := w.host.Resolve(context.Background(), &wire.ResolveRequest{
		Key: testKey, SlotHi: wire.Slots, Base: w.version, PrimaryKey: "id", WantLive: true,
		Ops: []wire.Op{op, {Kind: wire.OpDeleteIDs, IDs: []string{"8"}}},
	})
	if err != nil || fmt.Sprint(reply.New) != "[101 102]" || len(reply.Live) == 0 {
		t.Fatalf("%v %+v", err, reply)
	}
	// The leader's ordinals are used unchanged.
	req := w.request([]wire.Op{add(t, `{"id":7,"a":"y"}`)})
	req.Ordinals, req.HasOrdinals = []uint32{70000}, true
	arrivals := w.host.Arrivals()
	if r, err := w.host.Build(context.Background(), req); err != nil || r.Err != nil {
		t.Fatal(err, r)
	}
	if w.host.Arrivals() == arrivals {
		t.Error("a delta came and Arrivals does not tell")
	}
	w.docs["7"] = twinDoc{70000, map[string]string{"id": "7", "a": `"y"`}}
	w.advance(req)
	w.check()

	if shards, err := w.host.Shards(); err != nil || len(shards) != 1 || shards[0] != testKey {
		t.Fatal(err, shards)
	}
	if err := w.host.Drop(testKey); err != nil {
		t.Fatal(err)
	}
	if shards, err := w.host.Shards(); err != nil || len(shards) != 0 {
		t.Fatal(err, shards)
	}
	v, err := w.host.View(context.Background(), &wire.PinnedIndex{Key: testKey})
	if err != nil || !v.Live().Empty() {
		t.Fatalf("a dropped shard comes back empty: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	w.close()
}
