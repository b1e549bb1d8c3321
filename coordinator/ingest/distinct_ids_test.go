package ingest

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestDistinctSpills(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{0, 1, 50, 5000} {
		d := newDistinct(t.TempDir())
		d.max = 64
		want := map[int]bool{}
		for range n {
			id := rnd.IntN(n)
			want[id] = true
			if err := d.add([]byte(fmt.Sprint(id))); err != nil {
				t.Fatal(err)
			}
		}
		got, err := d.count()
		if err != nil || got != uint64(len(want)) {
			t.Errorf("seed %d, %d ids: %d distinct, want %d, %v", seed, n, got, len(want), err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
