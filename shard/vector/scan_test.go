package vector

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// stored holds rows like a store and counts visited ones.
type stored struct {
	rows    map[uint32][]byte
	visited atomic.Int64
}

func (s *stored) VisitVectors(ordinals []uint32, visit func(uint32, []byte) error) error {
	for _, ord := range ordinals {
		if row, ok := s.rows[ord]; ok {
			s.visited.Add(1)
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

// randomStored holds the rows 0 to n with a random vector each.
func randomStored(rng *rand.Rand, n uint32, dimensions int) *stored {
	s := &stored{rows: map[uint32][]byte{}}
	for ord := range n {
		s.put(ord, record.Embedding{Name: "a", Dimensions: dimensions, Values: randomVector(rng, dimensions)})
	}
	return s
}

func randomVector(rng *rand.Rand, dimensions int) []float32 {
	out := make([]float32, dimensions)
	for i := range out {
		out[i] = rng.Float32() - 0.5
	}
	return out
}

// found searches a table.
func found(t testing.TB, table *Table, cache *Cache, source Source, q *Query, among docset.Set, k int) ([]Neighbour, bool) {
	t.Helper()
	s := NewSearch("a", q, k)
	if err := s.Scan(context.Background(), table, cache, source, 0, among); err != nil {
		t.Fatal(err)
	}
	near, all, err := s.Finish(context.Background(), cmp.Compare[uint32])
	if err != nil {
		t.Fatal(err)
	}
	return near, all
}

// oddVector is a random vector of a kind that codes or bounds might get wrong.
func oddVector(rng *rand.Rand, dimensions int) []float32 {
	v := randomVector(rng, dimensions)
	switch rng.IntN(14) {
	case 0:
		clear(v)
	case 1, 2, 3: // equally far
		for i := range v {
			v[i] = float32(rng.IntN(2))
		}
	case 4:
		v[rng.IntN(len(v))] *= 1e6
	case 5:
		for i := range v {
			v[i] *= 1e-30
		}
	case 6:
		for i := range v {
			v[i] *= 1e25
		}
	case 7:
		v[0] = float32(math.Inf(1 - 2*rng.IntN(2)))
	case 8:
		v[0] = math.MaxFloat32
	case 9:
		v[0] = float32(math.NaN())
	case 10:
		for i := range v { // so near to each other that rounding decides
			v[i] = 1 + v[i]*1e-6
		}
	}
	return v
}

// Compares the results of codes, for blocks with and without room, with the distances
// of all vectors: thousands of searches among random sets, with odd vectors and many at
// equal distances.
func TestNearestAreThoseOfBruteForce(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	const last = 6 << Shift
	for range 30 {
		source, quantized := &stored{rows: map[uint32][]byte{}}, rng.IntN(4) == 0
		dimensions := []int{1, 3, 16, 20, 33, 100}[rng.IntN(6)]
		embeddings := map[uint32]record.Embedding{}
		var all docset.Builder
		for range 200 + rng.IntN(2)*5000 {
			ord := uint32(rng.IntN(last))
			e := record.Embedding{Name: "a", Dimensions: dimensions}
			for range rng.IntN(3) {
				e.Values = append(e.Values, oddVector(rng, dimensions)...)
			}
			if quantized {
				e.Quantize()
			}
			all.Add(ord)
			embeddings[ord] = e
			source.put(ord, e)
		}
		cache := NewCache(int64(rng.IntN(3))*int64(20+dimensions)*1500, time.Now)
		table := NewTable(all.Set())
		if rng.IntN(2) == 0 { // blocks are read from files, and halved where whole ones have no room
			files := &sheets{}
			cache.ReadFrom(files)
			files.fill(t, table, source)
			cache.budget = int64(rng.IntN(5)) * int64(20+dimensions) * 500
		}
		for range 100 {
			target, store := oddVector(rng, dimensions), rng.IntN(3)-1
			var among docset.Builder
			for range 1 + []int{1, 200, 20_000}[rng.IntN(3)] {
				among.Add(uint32(rng.IntN(last)))
			}
			set := among.Set()
			var want []Neighbour
			for ord, e := range embeddings {
				if best := bruteForce(&e, target, store); best.has && set.Contains(ord) {
					want = append(want, Neighbour{ord, best.distance})
				}
			}
			slices.SortFunc(want, func(a, b Neighbour) int {
				return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
			})
			k := 1 + rng.IntN([]int{3, 40, 8000}[rng.IntN(3)])
			got, all := found(t, table, cache, source, NewQuery(store, target), set, k)
			if len(got) < min(k, len(want)) || !slices.Equal(got, want[:len(got)]) || all != (len(got) == len(want)) {
				t.Fatalf("the nearest %d of %d documents with %d dimensions to %v:\n%v (all: %v), want\n%v", k, len(want), dimensions, target, got, all, want[:min(k, len(want))])
			}
		}
		if cache.Held() > cache.budget {
			t.Fatalf("%d bytes are kept, %d are allowed", cache.Held(), cache.budget)
		}
	}
}

// Vectors of 65,536 dimensions, and documents with more vectors than are multiplied at a
// time.
func TestLongVectorsAndManyOfADocumentAreComparedExactly(t *testing.T) {
	for _, c := range []struct{ documents, dimensions, each int }{{20, 1 << 16, 1}, {40, 24, 1000}, {3, 16, 5 * chunk}} {
		rng := rand.New(rand.NewPCG(uint64(c.dimensions), 7))
		source, embeddings := &stored{rows: map[uint32][]byte{}}, map[uint32]record.Embedding{}
		for ord := range uint32(c.documents) {
			e := record.Embedding{Name: "a", Dimensions: c.dimensions}
			for range c.each {
				e.Values = append(e.Values, randomVector(rng, c.dimensions)...)
			}
			embeddings[ord] = e
			source.put(ord, e)
		}
		all := docset.Range(0, uint32(c.documents))
		table, cache := NewTable(all), NewCache(1<<30, time.Now)
		const k = 5
		// The later searches have codes, the first ones compare what is stored.
		for i := range 2 + encodeFrom/c.documents {
			if i > 3 && i < encodeFrom/c.documents {
				if _, err := table.Rows(0, &need{"a", c.dimensions, all.AppendTo(nil)}, cache, source); err != nil {
					t.Fatal(err)
				}
				continue
			}
			target := randomVector(rng, c.dimensions)
			var want []Neighbour
			for ord, e := range embeddings {
				want = append(want, Neighbour{ord, bruteForce(&e, target, AnyStore).distance})
			}
			slices.SortFunc(want, func(a, b Neighbour) int {
				return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
			})
			if got, _ := found(t, table, cache, source, NewQuery(AnyStore, target), all, k); len(got) < min(k, len(want)) || !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("%d documents with %d vectors of %d dimensions, search %d: %v, want %v", c.documents, c.each, c.dimensions, i, got, want[:min(k, len(want))])
			}
		}
		if rows := table.blocks[0].rows.Load(); rows == nil {
			t.Errorf("%d dimensions: no codes were made", c.dimensions)
		}
	}
}

func bruteForce(e *record.Embedding, target []float32, store int) (best nearest) {
	for i := range e.Len() {
		switch v := e.Vector(i); {
		case store != AnyStore && i != store:
		case e.Quantized:
			best.add(record.Hamming(record.AppendBits(nil, v), record.AppendBits(nil, target)))
		default:
			best.add(record.Distance(record.Dot(v, target), record.Norm(v), record.Norm(target)))
		}
	}
	return best
}

// Even under a memory limit, a search reads no more rows than it compares, and none
// twice.
func TestFilterChoosesWhatIsRead(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(1, 2))
	source := randomStored(rng, n, 20)
	all := docset.Range(0, n)
	table, cache := NewTable(all), NewCache(1000, time.Now)
	search := func(among docset.Set) int64 {
		t.Helper()
		source.visited.Store(0)
		if near, _ := found(t, table, cache, source, NewQuery(AnyStore, randomVector(rng, 20)), among, 5); len(near) < min(5, among.Len()) {
			t.Fatal(near)
		}
		return source.visited.Load()
	}
	search(docset.Range(0, 1<<Shift)) // measures the size of blocks
	for _, among := range []docset.Set{docset.Of(5, 4095, 4096, n-1), docset.Range(100, 10_000), all} {
		if read := search(among); read != int64(among.Len()) {
			t.Errorf("%d documents are compared, %d are read", among.Len(), read)
		}
	}
	cache.budget = 1 << 30
	search(all)
	if read := search(all); read > 50 {
		t.Errorf("%d vectors are read for the nearest 5", read)
	}
}

func TestACanceledScanEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	all := docset.Range(0, 20<<Shift)
	s := NewSearch("a", NewQuery(AnyStore, []float32{1, 0}), 1)
	if err := s.Scan(ctx, NewTable(all), NewCache(0, time.Now), &stored{}, 0, all); err == nil {
		t.Fatal("a cancelled comparison went on")
	}
}

func BenchmarkNearest(b *testing.B) {
	const n, dimensions = 50_000, 384
	rng := rand.New(rand.NewPCG(1, 2))
	source, all := randomStored(rng, n, dimensions), docset.Range(0, n)
	query := NewQuery(AnyStore, randomVector(rng, dimensions))
	for name, budget := range map[string]int64{"kept": 1 << 30, "stored": 0} {
		b.Run(name, func(b *testing.B) {
			table, cache := NewTable(all), NewCache(budget, time.Now)
			found(b, table, cache, source, query, all, 20)
			for b.Loop() {
				found(b, table, cache, source, query, all, 20)
			}
		})
	}
}
