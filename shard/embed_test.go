package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/build"
	"shoal/wire"
	"shoal/wire/staged"
)

// model embeds texts by length and first letter and records its requests.
type model struct {
	mu    sync.Mutex
	asked []string
	fault *apierr.Error
}

func (m *model) embed(_ context.Context, _ *settings.Embedder, inputs []jsonvalue.Value, _ *build.Embedding) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault != nil {
		return nil, m.fault
	}
	var out [][]float32
	for i := range inputs {
		text := inputs[i].JSON()
		m.asked = append(m.asked, text)
		out = append(out, []float32{float32(len(text)), float32(text[1])})
	}
	return out, nil
}

// expect compares the requests since the last call.
func (m *model) expect(t *testing.T, want ...string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	slices.Sort(m.asked)
	if !slices.Equal(m.asked, want) {
		t.Fatalf("asked for %q, want %q", m.asked, want)
	}
	m.asked = nil
}

func newEmbedding(t *testing.T, definition string) (*world, *model) {
	m := &model{}
	w := newWorld(t, openHost(t, vfs.NewMem(), func(o *Options) { o.Embed = m.embed }))
	w.embedder("e", definition)
	return w, m
}

// embedder gives the index another single embedder.
func (w *world) embedder(name, definition string) {
	s := *w.settings
	s.Embedders = map[string]json.RawMessage{name: json.RawMessage(definition)}
	w.settings = &s
}

const restEmbedder = `{"source":"rest","url":"http://x","request":"{{text}}","response":"{{embedding}}","dimensions":2,"documentTemplate":"%s"}`

func TestVectorsAreGeneratedOnlyWhenTheirInputChanges(t *testing.T) {
	w, m := newEmbedding(t, fmt.Sprintf(restEmbedder, "{{doc.t}}"))
	w.commit(add(t, `{"id":1,"t":"a"}`, `{"id":2,"t":"bb"}`, `{"id":3,"t":"c","_vectors":{"e":[9,9]}}`, `{"id":4,"t":"d","_vectors":{"e":null}}`))
	m.expect(t, `"a"`, `"bb"`)
	w.wantVectors("2", `{"id":2,"t":"bb"} e:[4 98]!`)
	w.wantVectors("3", `{"id":3,"t":"c"} e:[9 9]`)

	// Only vectors whose text changed are computed again, and given vectors never.
	w.commit(update(t, `{"id":1,"n":5}`, `{"id":2,"t":"x"}`, `{"id":3,"t":"y"}`, `{"id":4,"t":"z"}`))
	m.expect(t, `"x"`)
	w.commit(update(t, `{"id":3,"_vectors":{"e":{"regenerate":true}}}`, `{"id":1,"_vectors":{"e":{"regenerate":true,"embeddings":[7,7]}}}`))
	m.expect(t, `"y"`)
	w.wantVectors("1", `{"id":1,"t":"a","n":5} e:[7 7]!`)
	w.commit(update(t, `{"id":1,"n":6}`))
	m.expect(t)
	w.wantVectors("1", `{"id":1,"t":"a","n":6} e:[7 7]!`)
	w.commit(update(t, `{"id":1,"t":"aa"}`))
	m.expect(t, `"aa"`)

	// Another template embeds only changed texts, another model all of them.
	w.embedder("e", fmt.Sprintf(restEmbedder, "{{doc.t}}{% if doc.n %}!{% endif %}"))
	w.gens.Vector++
	w.commit()
	m.expect(t, `"aa!"`)
	w.embedder("e", strings.Replace(fmt.Sprintf(restEmbedder, "{{doc.t}}{% if doc.n %}!{% endif %}"), "http://x", "http://y", 1))
	w.gens.Vector++
	w.commit()
	m.expect(t, `"aa!"`, `"x"`, `"y"`)
	w.wantVectors("4", `{"id":4,"t":"z"} e:[]`)
	w.embedder("e", strings.Replace(fmt.Sprintf(restEmbedder, "{{doc.t}}{% if doc.n %}!{% endif %}"), "http://x", "http://y\",\"binaryQuantized\":true,\"apiKey\":\"k", 1))
	w.gens.Vector++
	w.commit()
	m.expect(t)
	w.wantVectors("2", `{"id":2,"t":"x"} e:[1 1]!`)
	w.settings = embedderSettings()
	w.gens.Vector++
	reply := w.commit()
	w.wantVectors("2", `{"id":2,"t":"x"}`)
	w.wantVectors("4", `{"id":4,"t":"z","_vectors":{"e":{"regenerate":false,"embeddings":[]}}}`)
	if reply.Stats.Embeddings != 0 || reply.Stats.EmbeddedDocuments != 0 {
		t.Fatalf("%+v", reply.Stats)
	}
	w.close()
}

func TestAFailedEmbeddingFailsTheBatch(t *testing.T) {
	w, m := newEmbedding(t, fmt.Sprintf(restEmbedder, "{{doc.t}}"))
	_, reply := w.build(add(t, `{"id":1,"t":"a"}`, `{"id":2,"_vector":1}`))
	want := "Index `idx`: user error: missing field in document `2`: liquid: Unknown index\n  with:\n    variable=doc\n    requested index=t\n    available indexes=id, _vector\n"
	if reply.Err == nil || reply.Err.Failure.Message != want || reply.Err.Failure.Code != apierr.CodeInvalidDocumentFields.Name {
		t.Fatalf("%+v", reply.Err)
	}
	m.fault = apierr.New(apierr.CodeVectorEmbeddingError, "runtime error: gone")
	_, reply = w.build(add(t, `{"id":1,"t":"a","_vector":1}`))
	want = "Index `idx`: While embedding documents for embedder `e`: runtime error: gone\n- Hint: try replacing `_vector` by `_vectors` in 1 document(s)."
	if reply.Err == nil || reply.Err.Failure.Message != want || reply.Err.Failure.Code != apierr.CodeVectorEmbeddingError.Name {
		t.Fatalf("%+v", reply.Err)
	}
	m.fault = nil
	w.commit(add(t, `{"id":1,"t":"a"}`))
	w.wantVectors("1", `{"id":1,"t":"a"} e:[3 97]!`)
	w.close()
}

// The failure of one input concerns its document, whose task alone fails. A document that is
// embedded again because settings change has no such task.
func TestARefusedInputNamesItsDocument(t *testing.T) {
	fault := apierr.New(apierr.CodeVectorEmbeddingError, "user error: too long")
	m := &model{}
	w := newWorld(t, openHost(t, vfs.NewMem(), func(o *Options) {
		o.Embed = func(ctx context.Context, e *settings.Embedder, inputs []jsonvalue.Value, seen *build.Embedding) ([][]float32, error) {
			for i := range inputs {
				if seen.Called(nil); inputs[i].JSON() == `"bad"` && e.URL == "http://x" {
					seen.Called(fault)
					return nil, &build.InputError{Input: i, Fault: fault}
				}
			}
			return m.embed(ctx, e, inputs, seen)
		}
	}))
	w.embedder("e", strings.Replace(fmt.Sprintf(restEmbedder, "{{doc.t}}"), "http://x", "http://y", 1))
	w.commit(add(t, `{"id":9,"t":"bad"}`))
	w.embedder("e", fmt.Sprintf(restEmbedder, "{{doc.t}}"))
	w.gens.Vector++
	const want = "While embedding document `%s` for embedder `e`: user error: too long"
	_, reply := w.build()
	if reply.Err == nil || reply.Err.FailsTask || reply.Err.Failure.Message != "Index `idx`: "+fmt.Sprintf(want, "9") {
		t.Errorf("a change of settings: %+v", reply.Err)
	}
	w.embedder("e", fmt.Sprintf(strings.Replace(restEmbedder, "http://x", "http://y", 1), "{{doc.t}}"))
	w.commit()
	w.embedder("e", fmt.Sprintf(restEmbedder, "{{doc.t}}"))
	w.commit()
	_, reply = w.build(add(t, `{"id":1,"t":"a"}`, `{"id":2,"t":"b"}`, `{"id":3,"t":"bad"}`, `{"id":4,"t":"d"}`))
	if reply.Err == nil || !reply.Err.FailsTask || reply.Err.Failure.Message != fmt.Sprintf(want, "3") || reply.Err.Vectors.Document != "3" {
		t.Errorf("an addition: %+v", reply.Err)
	}
	if f := reply.Embedders; f.Requests != 4 || f.Failed != 1 || f.Wanted != 4 || f.Documents != 0 || f.LastError != fault.Error() {
		t.Errorf("%+v", f)
	}
	w.close()
}

func TestFragmentVectors(t *testing.T) {
	definition := func(fragments string) string {
		return `{"source":"rest","url":"http://x","request":"{{fragment}}","response":"{{embedding}}","dimensions":2,"indexingFragments":{` +
			fragments + `},"searchFragments":{"q":{"value":"{{q}}"}}}`
	}
	w, m := newEmbedding(t, definition(`"b":{"value":"b{{doc.b}}"},"c":{"value":{"x":"{{doc.c}}"}}`))
	w.commit(add(t, `{"id":1,"b":"1","c":"2"}`, `{"id":2,"c":"3"}`))
	m.expect(t, `"b1"`, `{"x":"2"}`, `{"x":"3"}`)
	with := func(fragment string) int {
		t.Helper()
		v := w.view()
		defer func() { _ = v.Close() }()
		set, err := v.Vectors(filter.FilterVector{
			Named: true, Embedder: filter.FilterToken{Value: "e"}, Kind: filter.VectorFragment, Fragment: filter.FilterToken{Value: fragment},
		})
		if err != nil {
			t.Fatal(err)
		}
		return set.Len()
	}
	if with("b") != 1 || with("c") != 2 {
		t.Fatalf("%d and %d documents with fragments", with("b"), with("c"))
	}
	// A new fragment before the others moves them, and only the new one is embedded.
	w.embedder("e", definition(`"a":{"value":"a{{doc.id}}"},"b":{"value":"b{{doc.b}}"},"c":{"value":{"x":"{{doc.c}}"}}`))
	w.gens.Vector++
	w.commit()
	m.expect(t, `"a1"`, `"a2"`)
	if with("a") != 2 || with("b") != 1 || with("c") != 2 {
		t.Fatal("fragments after a new one")
	}
	w.commit(update(t, `{"id":2,"b":"9"}`))
	m.expect(t, `"b9"`)
	w.embedder("e", definition(`"b":{"value":"b{{doc.b}}"}`))
	w.gens.Vector++
	reply := w.commit()
	m.expect(t)
	if reply.Stats.Embeddings != 2 || with("b") != 2 {
		t.Fatalf("%+v", reply.Stats)
	}
	w.commit(wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{"1"}})
	if with("b") != 1 {
		t.Fatal("a deleted document keeps its fragment")
	}
	w.close()
}

// An empty template counted as none, so documents were embedded by the default one.
func TestAnEmptyTemplateMakesEmptyTexts(t *testing.T) {
	w, m := newEmbedding(t, fmt.Sprintf(restEmbedder, ""))
	w.commit(add(t, `{"id":1,"t":"a"}`))
	m.expect(t, `""`)
}

// Stored vectors move to another shard unchanged: generated vectors stay generated, and
// no embedder is called.
func TestStoredVectorsMoveUnchanged(t *testing.T) {
	w, m := newEmbedding(t, fmt.Sprintf(restEmbedder, "{{doc.t}}"))
	w.commit(add(t, `{"id":1,"t":"a","_vectors":{"x":[1]}}`, `{"id":2,"t":"b","_vectors":{"e":[5,5]}}`))
	m.expect(t, `"a"`)
	v := w.view()
	var docs []string
	for ord := range uint32(2) {
		_, doc := documentOf(t, v, ord)
		stored, err := v.StoredEmbeddings(ord)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, string(staged.AppendVectors([]byte(doc), stored)))
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	other, n := newEmbedding(t, fmt.Sprintf(restEmbedder, "{{doc.t}}"))
	op := add(t, docs...)
	op.StoredVectors = true
	reply := other.commit(op)
	n.expect(t)
	other.wantVectors("1", `{"id":1,"t":"a","_vectors":{"x":[1]}} e:[3 97]!`)
	other.wantVectors("2", `{"id":2,"t":"b"} e:[5 5]`)
	if reply.Stats.Embeddings != 2 {
		t.Fatalf("%+v", reply.Stats)
	}
	other.commit(update(t, `{"id":1,"n":1}`, `{"id":2,"n":1}`))
	n.expect(t)
	w.close()
	other.close()
}

func TestAPanicInAWorkerFailsTheBuildAndNotTheNode(t *testing.T) {
	panics := true
	m := &model{}
	w := newWorld(t, openHost(t, vfs.NewMem(), func(o *Options) {
		o.Embed = func(ctx context.Context, e *settings.Embedder, inputs []jsonvalue.Value, seen *build.Embedding) ([][]float32, error) {
			if panics {
				panic("boom")
			}
			return m.embed(ctx, e, inputs, seen)
		}
	}))
	w.embedder("e", fmt.Sprintf(restEmbedder, "{{doc.t}}"))
	w.fields = []string{"id", "t"}
	req := w.request([]wire.Op{add(t, `{"id":1,"t":"a"}`)})
	if _, err := w.host.Build(t.Context(), req); !errors.Is(err, wire.ErrCrashed) || !strings.Contains(err.Error(), "boom") {
		t.Fatalf("a build whose worker panicked: %v", err)
	}
	panics = false
	w.commit(add(t, `{"id":1,"t":"a"}`))
	w.wantVectors("1", `{"id":1,"t":"a"} e:[3 97]!`)
}
