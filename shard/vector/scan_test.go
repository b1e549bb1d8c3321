package vector

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// stored holds rows as a store does, and counts those that were visited.
type stored struct {
	rows    map[uint32][]byte
	visited int
}

func (s *stored) VisitVectors(ordinals []uint32, visit func(uint32, []byte) error) error {
	for _, ord := range ordinals {
		if row, ok := s.rows[ord]; ok {
			s.visited++
			if err := visit(ord, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// put stores one embedding of a document.
func (s *stored) put(ord uint32, e record.Embedding) {
	s.rows[ord] = record.AppendEmbeddings(nil, []record.Embedding{{Name: "0", Dimensions: 1, Values: []float32{1}}, e})
}

func randomVector(rng *rand.Rand, dimensions int) []float32 {
	out := make([]float32, dimensions)
	for i := range out {
		out[i] = rng.Float32() - 0.5
	}
	return out
}

// TestDistancesAreThoseOfEveryVector compares random sets of documents, whose blocks are
// kept decoded or find no room, with every vector one by one.
func TestDistancesAreThoseOfEveryVector(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	for range 12 {
		source, quantized := &stored{rows: map[uint32][]byte{}}, rng.IntN(3) == 0
		embeddings := map[uint32]record.Embedding{}
		var all docset.Builder
		for range 9000 {
			ord := uint32(rng.IntN(6 << Shift))
			e := record.Embedding{Name: "a", Dimensions: 20}
			for range rng.IntN(3) {
				e.Values = append(e.Values, randomVector(rng, e.Dimensions)...)
			}
			if quantized {
				e.Quantize()
			}
			all.Add(ord)
			embeddings[ord] = e
			source.put(ord, e)
		}
		cache := NewCache(int64(rng.IntN(3))*300_000, time.Now)
		table := NewTable(all.Set())
		for range 20 {
			target, store := randomVector(rng, 20), rng.IntN(3)-1
			var among docset.Builder
			for range 1 + []int{1, 200, 20_000}[rng.IntN(3)] {
				among.Add(uint32(rng.IntN(6 << Shift)))
			}
			set := among.Set()
			var want []Neighbour
			for ord, e := range embeddings {
				var best nearest
				for i := range e.Len() {
					if store != AnyStore && i != store {
						continue
					}
					if quantized {
						best.add(record.Hamming(record.AppendBits(nil, e.Vector(i)), record.AppendBits(nil, target)))
					} else {
						best.add(record.Cosine(e.Vector(i), target, record.Norm(e.Vector(i)), record.Norm(target)))
					}
				}
				if best.has && set.Contains(ord) {
					want = append(want, Neighbour{ord, best.distance})
				}
			}
			slices.SortFunc(want, func(a, b Neighbour) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
			got, err := table.Distances(context.Background(), cache, source, "a", NewQuery(store, target), set)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%d documents, want %d (%v)", len(got), len(want), err)
			}
		}
		if cache.Held() > cache.budget {
			t.Fatalf("%d bytes are kept, %d are allowed", cache.Held(), cache.budget)
		}
	}
}

// TestFilterChoosesWhatIsRead: under a memory limit, too, no more rows are read than a
// search compares, and none of them twice.
func TestFilterChoosesWhatIsRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	source := &stored{rows: map[uint32][]byte{}}
	const n = 20_000
	for ord := range uint32(n) {
		source.put(ord, record.Embedding{Name: "a", Dimensions: 2, Values: randomVector(rng, 2)})
	}
	all := docset.Range(0, n)
	table, cache := NewTable(all), NewCache(1000, time.Now)
	search := func(among docset.Set) int {
		t.Helper()
		source.visited = 0
		found, err := table.Distances(context.Background(), cache, source, "a", NewQuery(AnyStore, []float32{1, 0}), among)
		if err != nil || len(found) != among.Len() {
			t.Fatal(err, len(found))
		}
		return source.visited
	}
	search(docset.Range(0, 1<<Shift)) // tells how large decoded blocks are
	for _, among := range []docset.Set{docset.Of(5, 4095, 4096, n-1), docset.Range(100, 10_000), all} {
		if read := search(among); read != among.Len() {
			t.Errorf("%d documents are compared, %d are read", among.Len(), read)
		}
	}
	cache.budget = 1 << 30
	for range decodeFrom {
		search(docset.Of(7))
	}
	if read := search(docset.Of(7)); read != 0 {
		t.Errorf("%d rows are read of a block that many searches asked for and that has room", read)
	}
}

func TestCancelledComparisonEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	all := docset.Range(0, 20<<Shift)
	_, err := NewTable(all).Distances(ctx, NewCache(0, time.Now), &stored{}, "a", NewQuery(AnyStore, []float32{1, 0}), all)
	if err == nil {
		t.Fatal("a cancelled comparison went on")
	}
}

func BenchmarkDistances(b *testing.B) {
	const n, dimensions = 50_000, 384
	rng := rand.New(rand.NewPCG(1, 2))
	source, all := &stored{rows: map[uint32][]byte{}}, docset.Range(0, n)
	for ord := range uint32(n) {
		source.put(ord, record.Embedding{Name: "a", Dimensions: dimensions, Values: randomVector(rng, dimensions)})
	}
	target := randomVector(rng, dimensions)
	for name, budget := range map[string]int64{"kept": 1 << 30, "stored": 0} {
		b.Run(name, func(b *testing.B) {
			table, cache := NewTable(all), NewCache(budget, time.Now)
			for range b.N {
				if _, err := table.Distances(context.Background(), cache, source, "a", NewQuery(AnyStore, target), all); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
