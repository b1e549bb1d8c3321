package shard

import (
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

// TestNearAgainstTwin changes documents at random and compares what a View finds
// with all vectors one by one; room for decoded blocks is scarce.
func TestNearAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, definition := range []string{`{"source":"userProvided","dimensions":3}`, `{"source":"userProvided","dimensions":3,"binaryQuantized":true}`} {
		w := newWorld(t, openHost(t, vfs.NewMem(), func(o *Options) { o.Budget.Vectors = 4000 }))
		w.settings = embedderSettings("a")
		w.settings.Embedders["a"] = json.RawMessage(definition)
		quantized := strings.Contains(definition, "binary")
		twin := map[string][][]float32{}
		for round := range 12 {
			var docs []string
			for range 1 + rng.IntN(40) {
				id := fmt.Sprint(rng.IntN(60))
				var vectors [][]float32
				for range rng.IntN(3) {
					vectors = append(vectors, []float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5})
				}
				text, _ := json.Marshal(vectors)
				docs = append(docs, fmt.Sprintf(`{"id":%q,"r":%d,"_vectors":{"a":%s}}`, id, round, text))
				twin[id] = vectors
			}
			ops := []wire.Op{add(t, docs...)}
			if rng.IntN(3) == 0 {
				gone := fmt.Sprint(rng.IntN(60))
				ops = append(ops, wire.Op{Kind: wire.OpDeleteIDs, IDs: []string{gone}})
				delete(twin, gone)
			}
			w.commit(ops...)
			w.compareNear(twin, []float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5}, rng.IntN(3)-1, quantized)
			if held := w.host.shared.Vectors.Held(); held > 4000 {
				t.Fatalf("%d bytes of decoded blocks", held)
			}
			w.host.tidy(time.Now().Add(time.Hour))
		}
		w.close()
	}
}

func (w *world) compareNear(twin map[string][][]float32, target []float32, store int, quantized bool) {
	w.t.Helper()
	v := w.view()
	defer func() { _ = v.Close() }()
	var want []vector.Neighbour
	var embedded docset.Builder
	for id, list := range twin {
		ord, ok, err := v.Ordinal(id)
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
			d := record.Cosine(x, target, record.Norm(x), record.Norm(target))
			if quantized {
				d = record.Hamming(record.AppendBits(nil, x), record.AppendBits(nil, target))
			}
			if !has || d < best {
				best, has = d, true
			}
		}
		if has {
			want = append(want, vector.Neighbour{Ordinal: ord, Distance: best})
		}
	}
	slices.SortFunc(want, func(a, b vector.Neighbour) int { return int(int64(a.Ordinal) - int64(b.Ordinal)) })
	got, err := v.Distances(context.Background(), "a", store, target, v.Live())
	if err != nil || !slices.Equal(got, want) {
		w.t.Fatalf("store %d: %v %v, want %v", store, err, got, want)
	}
	if set, err := v.Vectors(filter.FilterVector{}); err != nil || !set.Equal(embedded.Set()) {
		w.t.Fatalf("documents with vectors: %v", err)
	}
}
