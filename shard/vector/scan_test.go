package vector

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// TestNearManyBlocks compares blocks at the same time.
func TestNearManyBlocks(t *testing.T) {
	var blocks []*Rows
	rng := rand.New(rand.NewPCG(1, 2))
	var all docset.Builder
	for n := range 20 {
		rows := NewRows()
		for i := range 10 {
			ord := uint32(n<<Shift + 7*i)
			all.Add(ord)
			rows.Add(ord, &record.Embedding{Name: "a", Dimensions: 2, Values: []float32{rng.Float32(), rng.Float32()}})
		}
		rows.Seal()
		blocks = append(blocks, rows)
	}
	set := all.Set()
	read := func(n int) (*Rows, error) { return blocks[n], nil }
	got, err := Distances(context.Background(), len(blocks), read, "a", NewQuery(AnyStore, []float32{1, 0}), set)
	if err != nil || len(got) != 200 || !slices.IsSortedFunc(got, func(a, b Neighbour) int { return int(int64(a.Ordinal) - int64(b.Ordinal)) }) {
		t.Fatal(err, len(got))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Distances(ctx, len(blocks), read, "a", NewQuery(AnyStore, []float32{1, 0}), set); err == nil {
		t.Fatal("a cancelled comparison went on")
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
	var blocks []*Rows
	for i := range uint32(n) {
		if i&(1<<Shift-1) == 0 {
			blocks = append(blocks, NewRows())
		}
		blocks[len(blocks)-1].Add(i, &record.Embedding{Name: "a", Dimensions: dimensions, Values: vector()})
	}
	for _, block := range blocks {
		block.Seal()
	}
	read := func(n int) (*Rows, error) { return blocks[n], nil }
	target, all := vector(), docset.Range(0, n)
	b.ResetTimer()
	for range b.N {
		if _, err := Distances(context.Background(), len(blocks), read, "a", NewQuery(AnyStore, target), all); err != nil {
			b.Fatal(err)
		}
	}
}
