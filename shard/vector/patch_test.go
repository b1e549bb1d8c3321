package vector

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// Changes documents of a block step by step, some of them between searches, and
// compares all columns.
func TestPatchedRowsEqualEncodedOnes(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 5))
	for range 20 {
		source := &stored{rows: map[uint32][]byte{}}
		change := func(n int) docset.Set {
			var changed docset.Builder
			for range n {
				ord := uint32(rng.IntN(2 << Shift))
				changed.Add(ord)
				if rng.IntN(4) == 0 {
					delete(source.rows, ord)
					continue
				}
				e := record.Embedding{Name: "a", Dimensions: 3 + rng.IntN(2), UserProvided: rng.IntN(2) == 0, Regenerate: rng.IntN(2) == 0}
				for range rng.IntN(4) {
					e.Values = append(e.Values, randomVector(rng, e.Dimensions)...)
				}
				q := record.Embedding{Name: "q", Dimensions: 70, Values: randomVector(rng, 70)}
				q.Quantize()
				source.rows[ord] = record.AppendEmbeddings(nil, []record.Embedding{e, q}[:1+rng.IntN(2)])
			}
			return changed.Set()
		}
		table, cache := NewTable(change(3000)), NewCache(1<<30, time.Now)
		rows := func(block int) *Rows {
			t.Helper()
			r, err := table.Rows(block, nil, cache, source)
			if err != nil || r == nil {
				t.Fatal(r, err)
			}
			return r
		}
		rows(0)
		for range 10 {
			next := table.Changed(change(rng.IntN(80)))
			cache.Retire(table, next)
			if table = next; rng.IntN(2) == 0 {
				continue
			}
			for block := range 2 {
				want, err := encode(uint32(block), source, 1<<30)
				if err != nil {
					t.Fatal(err)
				}
				got := rows(block)
				if !slices.Equal(slices.SortedFunc(maps.Keys(got.columns), Form.compare), slices.SortedFunc(maps.Keys(want.columns), Form.compare)) {
					t.Fatalf("columns %v, want %v", got.columns, want.columns)
				}
				for form, c := range want.columns {
					if !sameColumn(got.columns[form], c) {
						t.Fatalf("column %v is\n%+v, want\n%+v", form, got.columns[form], c)
					}
				}
			}
		}
		held := int64(0)
		for _, b := range table.blocks {
			if r := b.rows.Load(); r != nil {
				held += r.bytes
			} else if b.before != nil {
				held += b.before.bytes
			}
		}
		if cache.Held() != held {
			t.Fatalf("the cache counts %d bytes, blocks hold %d", cache.Held(), held)
		}
		if cache.Retire(table, nil); cache.Held() != 0 {
			t.Fatalf("%d bytes are held after the end of a shard", cache.Held())
		}
	}
}

// sameColumn compares the content of columns. Empty lists may be nil.
func sameColumn(a, b *Column) bool {
	return a.Form == b.Form && a.half == b.half && a.words == b.words && slices.Equal(a.ords, b.ords) && slices.Equal(a.flags, b.flags) &&
		slices.Equal(a.from, b.from) && slices.Equal(a.stores, b.stores) && slices.Equal(a.upper, b.upper) && slices.Equal(a.lower, b.lower) && slices.Equal(a.bits, b.bits) &&
		reflect.DeepEqual([][]float32{a.scales[:], a.norms[:], a.missing[:], a.coarse[:]}, [][]float32{b.scales[:], b.norms[:], b.missing[:], b.coarse[:]})
}

// After a write, a search reads the changed rows, not their whole blocks.
func TestOnlyChangedDocumentsAreReadAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	source, all := &stored{rows: map[uint32][]byte{}}, docset.Range(0, 3<<Shift)
	put := func(ord uint32) {
		source.put(ord, record.Embedding{Name: "a", Dimensions: 20, Values: randomVector(rng, 20)})
	}
	all.Each(func(ord uint32) bool { put(ord); return true })
	table, cache := NewTable(all), NewCache(1<<30, time.Now)
	target := randomVector(rng, 20)
	found(t, table, cache, source, NewQuery(AnyStore, target), all, 1)
	for range 3 {
		changed := docset.Of(1, 7, 5000, 9000)
		changed.Each(func(ord uint32) bool { put(ord); return true })
		next := table.Changed(changed)
		cache.Retire(table, next)
		table = next
	}
	source.visited.Store(0)
	found(t, table, cache, source, NewQuery(AnyStore, target), all, 1)
	if read := source.visited.Load(); read > 20 {
		t.Errorf("%d rows are read after 4 documents changed", read)
	}
}
