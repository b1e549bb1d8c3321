package replica

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"shoal/wire"
)

// What is due is what is not among the settled records, whatever came and went.
func TestOnlyRecordsThatAreNotSettledAreDue(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 3))
	listing := func() []*wire.Index {
		var all []*wire.Index
		for i := range 40 {
			if r.IntN(3) > 0 {
				all = append(all, &wire.Index{ID: uint32(i), UID: fmt.Sprint("index ", i)})
			}
		}
		slices.SortFunc(all, func(a, b *wire.Index) int { return cmp.Compare(a.UID, b.UID) })
		return all
	}
	for round := range 2000 {
		before, all := listing(), listing()
		for i := range all {
			at := slices.IndexFunc(before, func(x *wire.Index) bool { return x.UID == all[i].UID })
			if at >= 0 && r.IntN(4) > 0 {
				all[i] = before[at]
			}
		}
		var want []*wire.Index
		for _, x := range all {
			if !slices.Contains(before, x) {
				want = append(want, x)
			}
		}
		if got := unsettled(all, before); !slices.Equal(got, want) {
			t.Fatalf("seed %d, round %d: %d records are due of %d", seed, round, len(got), len(want))
		}
	}
}

// BenchmarkOneOfTenThousandChanged is what each node does after each change of an index.
func BenchmarkOneOfTenThousandChanged(b *testing.B) {
	all := make([]*wire.Index, 10_000)
	for i := range all {
		all[i] = &wire.Index{ID: uint32(i + 1), UID: fmt.Sprintf("tenant-%05d", i)}
	}
	next := slices.Clone(all)
	next[5000] = &wire.Index{ID: 5001, UID: all[5000].UID, Version: 1}
	for b.Loop() {
		if len(unsettled(next, all)) != 1 {
			b.Fatal("one has changed")
		}
	}
}
