package shard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/vector"
	"shoal/wire"
)

// TestNearAgainstTwin changes and deletes random documents and compares thousands of
// searches with a scan of all vectors. There is room for the codes of all blocks, of
// some, or of none.
func TestNearAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	vector := func() []float32 { return []float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5} }
	const ids = 1200
	for _, room := range []int64{1 << 20, 30_000, 1} {
		for _, definition := range []string{`{"source":"userProvided","dimensions":3}`, `{"source":"userProvided","dimensions":3,"binaryQuantized":true}`} {
			w := newWorld(t, openHost(t, vfs.NewMem(), func(o *Options) { o.Budget.Vectors = room }))
			w.settings = embedderSettings("a")
			w.settings.Embedders["a"] = json.RawMessage(definition)
			quantized := strings.Contains(definition, "binary")
			twin := map[string][][]float32{}
			for round := range 25 {
				var docs []string
				put := func(id string) {
					var vectors [][]float32
					for range rng.IntN(3) {
						vectors = append(vectors, vector())
					}
					text, _ := json.Marshal(vectors)
					docs = append(docs, fmt.Sprintf(`{"id":%q,"r":%d,"_vectors":{"a":%s}}`, id, round, text))
					twin[id] = vectors
				}
				if round == 0 {
					for id := range ids {
						put(fmt.Sprint(id))
					}
				}
				for range 1 + rng.IntN(40) {
					put(fmt.Sprint(rng.IntN(ids)))
				}
				ops := []wire.Op{add(t, docs...)}
				if rng.IntN(3) == 0 {
					gone := fmt.Sprint(rng.IntN(ids))
					ops = append(ops, wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{gone}})
					delete(twin, gone)
				}
				w.commit(ops...)
				for range 5 {
					w.compareNear(twin, vector(), rng.IntN(3)-1, quantized)
				}
				if held := w.host.shared.Vectors.Held(); held > room {
					t.Fatalf("%d bytes of codes are kept, %d are allowed", held, room)
				}
				w.host.janitor.tidy(time.Now().Add(time.Hour))
			}
			w.close()
		}
	}
}

func (w *world) compareNear(twin map[string][][]float32, target []float32, store int, quantized bool) {
	w.t.Helper()
	v := w.view()
	defer func() { _ = v.Close() }()
	var want []vector.Neighbour
	var embedded docset.Builder
	for id, list := range twin {
		ord, ok, err := v.Row(id)
		if err != nil || !ok {
			w.t.Fatal(id, ok, err)
		}
		if len(list) > 0 {
			embedded.Add(ord)
		}
		best, has := float32(0), false
		for i, x := range list {
			if store != vector.AnyStore && i != store {
				continue
			}
			d := record.Distance(record.Dot(x, target), record.Norm(x), record.Norm(target))
			if quantized {
				d = record.Hamming(record.AppendBits(nil, x), record.AppendBits(nil, target))
			}
			if !has || d < best {
				best, has = d, true
			}
		}
		if has {
			want = append(want, vector.Neighbour{Row: ord, Distance: best})
		}
	}
	slices.SortFunc(want, func(a, b vector.Neighbour) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
	})
	for _, k := range []int{1, len(want)/2 + 1, len(want) + 1} {
		got, all, err := v.Nearest(context.Background(), "a", store, target, v.Live(), k)
		if least := min(k, len(want)); err != nil || len(got) < least || !slices.Equal(got, want[:len(got)]) || all != (len(got) == len(want)) {
			w.t.Fatalf("the nearest %d of store %d: %v (all: %v) %v, want %v", k, store, got, all, err, want)
		}
	}
	if set, err := v.Vectors(filter.FilterVector{}); err != nil || !set.Equal(embedded.Set()) {
		w.t.Fatalf("documents with vectors: %v", err)
	}
}
