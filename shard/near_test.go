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

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/shard/record"
	"shoal/wire"
)

// TestNearAgainstTwin changes documents at random and compares what a View finds
// with all vectors one by one; room for decoded blocks is scarce.
func TestNearAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, definition := range []string{`{"source":"userProvided","dimensions":3}`, `{"source":"userProvided","dimensions":3,"binaryQuantized":true}`} {
		w := newWorld(t, openHost(t, vfs.NewMem()))
		w.host.vectors.budget = 4000
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
			if w.host.vectors.bytes > 4000 {
				t.Fatalf("%d bytes of decoded blocks", w.host.vectors.bytes)
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
	var want []rank.Near
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
			if store != rank.AnyStore && i != store {
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
			want = append(want, rank.Near{Ordinal: ord, Distance: best})
		}
	}
	slices.SortFunc(want, func(a, b rank.Near) int { return int(int64(a.Ordinal) - int64(b.Ordinal)) })
	got, err := v.Distances(context.Background(), "a", store, target, v.Live())
	if err != nil || !slices.Equal(got, want) {
		w.t.Fatalf("store %d: %v %v, want %v", store, err, got, want)
	}
	if set, err := v.WithVectors(query.FilterVector{}); err != nil || !set.Equal(embedded.Set()) {
		w.t.Fatalf("documents with vectors: %v", err)
	}
}

// TestNearManyBlocks compares blocks at the same time.
func TestNearManyBlocks(t *testing.T) {
	c := &core{vectors: &vectorTable{}}
	v := &View{core: c, host: &Host{vectors: newVectorCache(1<<30, time.Now)}}
	rng := rand.New(rand.NewPCG(1, 2))
	var all docset.Builder
	for n := range 20 {
		rows := &vectorRows{columns: map[columnKey]*vectorColumn{}}
		for i := range 10 {
			ord := uint32(n<<vectorShift + 7*i)
			all.Add(ord)
			rows.add(ord, &record.Embedding{Name: "a", Dimensions: 2, Values: []float32{rng.Float32(), rng.Float32()}})
		}
		column := rows.like("a", 2)
		column.from = append(column.from, 10)
		b := &vectorBlock{}
		b.rows.Store(rows)
		c.vectors.blocks = append(c.vectors.blocks, b)
	}
	set := all.Set()
	got, err := v.Distances(context.Background(), "a", rank.AnyStore, []float32{1, 0}, set)
	if err != nil || len(got) != 200 || !slices.IsSortedFunc(got, func(a, b rank.Near) int { return int(int64(a.Ordinal) - int64(b.Ordinal)) }) {
		t.Fatal(err, len(got))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := v.Distances(ctx, "a", rank.AnyStore, []float32{1, 0}, set); err == nil {
		t.Fatal("a cancelled comparison went on")
	}
}

func TestIdleBlocksMakeRoom(t *testing.T) {
	now := time.Unix(1000, 0)
	cache := newVectorCache(100, func() time.Time { return now })
	a, b := &vectorBlock{}, &vectorBlock{}
	cache.keep(a, &vectorRows{bytes: 80})
	cache.keep(b, &vectorRows{bytes: 80})
	if a.rows.Load() == nil || b.rows.Load() != nil {
		t.Fatal("the first block stays while it is used")
	}
	now = now.Add(time.Minute)
	cache.keep(b, &vectorRows{bytes: 80})
	if a.rows.Load() != nil || b.rows.Load() == nil || cache.bytes != 80 {
		t.Fatal("an idle block makes room")
	}
	cache.retire(&vectorTable{blocks: []*vectorBlock{b}}, &vectorTable{blocks: []*vectorBlock{a}})
	cache.keep(b, &vectorRows{bytes: 10})
	if b.rows.Load() != nil || cache.bytes != 0 {
		t.Fatal("a replaced block is not kept")
	}
}

func BenchmarkNear(b *testing.B) {
	const n, dimensions = 50_000, 384
	rng := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		out := make([]float32, dimensions)
		for i := range out {
			out[i] = rng.Float32() - 0.5
		}
		return out
	}
	c := &core{vectors: &vectorTable{}}
	v := &View{core: c, host: &Host{vectors: newVectorCache(1<<30, time.Now)}}
	var rows *vectorRows
	for i := range uint32(n) {
		if i&(1<<vectorShift-1) == 0 {
			rows = &vectorRows{columns: map[columnKey]*vectorColumn{}}
			block := &vectorBlock{}
			block.rows.Store(rows)
			c.vectors.blocks = append(c.vectors.blocks, block)
		}
		rows.add(i, &record.Embedding{Name: "a", Dimensions: dimensions, Values: vector()})
	}
	for _, block := range c.vectors.blocks {
		column := block.rows.Load().like("a", dimensions)
		column.from = append(column.from, uint32(column.len()))
	}
	target, all := vector(), docset.Range(0, n)
	b.ResetTimer()
	for range b.N {
		if _, err := v.Distances(context.Background(), "a", rank.AnyStore, target, all); err != nil {
			b.Fatal(err)
		}
	}
}
