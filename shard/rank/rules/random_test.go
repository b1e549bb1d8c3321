package rules

import (
	"slices"
	"testing"

	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/shard/rows"
	"shoal/wire"
)

// plain is an index whose rows are the ordinals.
type plain struct{ scope.Index }

func (plain) Order() *rows.Order { return nil }

// shuffled returns documents in the order of a key, `want` at a time.
func shuffled(t *testing.T, key uint64, docs docset.Set, want int) (list []uint32) {
	it := newRandomIterator(&scope.Scope{Index: plain{}}, &scope.Level{Start: wire.StartRule{Rule: rule.Rule{Kind: rule.Random, Key: key}}, Base: docs})
	last := -1.0
	for {
		b, ok, err := it.Next(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return list
		}
		if b.Set.Len() != 1 || b.Value.Kind != wire.SortNumber || b.Value.Number <= last {
			t.Fatalf("a bucket of %d with value %v after %v", b.Set.Len(), b.Value, last)
		}
		last = b.Value.Number
		b.Set.Each(func(ord uint32) bool { list = append(list, ord); return true })
	}
}

func TestARandomOrderHasEachDocumentOnce(t *testing.T) {
	var all []uint32
	for ord := range uint32(5000) {
		all = append(all, 3*ord)
	}
	docs := docset.FromSorted(all)
	first := shuffled(t, 7, docs, 20)
	sorted := slices.Clone(first)
	slices.Sort(sorted)
	if !slices.Equal(sorted, all) {
		t.Fatalf("%d documents of %d", len(first), len(all))
	}
	for _, want := range []int{1, 64, 1000, 100_000} {
		if !slices.Equal(shuffled(t, 7, docs, want), first) {
			t.Errorf("asked for %d at a time the order is another", want)
		}
	}
	if other := shuffled(t, 8, docs, 20); slices.Equal(other[:50], first[:50]) {
		t.Error("another key gives the same order")
	}
	// Missing documents do not change the order of the others.
	few := docset.FromSorted(all[:500])
	left := slices.DeleteFunc(slices.Clone(first), func(ord uint32) bool { return ord >= 1500 })
	if !slices.Equal(shuffled(t, 7, few, 20), left) {
		t.Error("a filter changes the order of what it leaves")
	}
}

// With 4,000 documents in 8 parts of the order, about 62 of each eighth of the
// documents should be in each part. The bounds are five standard deviations.
func TestARandomOrderIsEven(t *testing.T) {
	var all []uint32
	for ord := range uint32(4000) {
		all = append(all, ord)
	}
	for key := range uint64(20) {
		var count [8][8]int
		for place, ord := range shuffled(t, key, docset.FromSorted(all), 4000) {
			count[place/500][ord/500]++
		}
		for i := range count {
			for j, n := range count[i] {
				if n < 26 || n > 99 {
					t.Errorf("key %d: part %d has %d documents of eighth %d", key, i, n, j)
				}
			}
		}
	}
}

func BenchmarkRandomOrder(b *testing.B) {
	var builder docset.Builder
	for ord := range uint32(1_000_000) {
		builder.Add(ord)
	}
	docs := builder.Set()
	for b.Loop() {
		it := newRandomIterator(&scope.Scope{Index: plain{}}, &scope.Level{Start: wire.StartRule{Rule: rule.Rule{Kind: rule.Random, Key: 1}}, Base: docs})
		for range 20 {
			if _, _, err := it.Next(b.Context(), 20); err != nil {
				b.Fatal(err)
			}
		}
	}
}
