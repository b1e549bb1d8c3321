package wire

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLeadingStringsAreThoseOfAWholeSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		list := make([]FacetString, r.IntN(40))
		for i := range list {
			list[i] = FacetString{Form: fmt.Sprintf("%03d", i), Count: uint64(r.IntN(5))}
		}
		want := slices.Clone(list)
		slices.SortFunc(want, func(a, b FacetString) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(b.Form, a.Form))
		})
		n := r.IntN(45)
		var got []FacetString
		for _, at := range Leading(list, n) {
			got = append(got, list[at])
		}
		if want = want[:min(n, len(want))]; !slices.Equal(got, want) {
			t.Fatalf("the first %d of %v: %v, want %v", n, list, got, want)
		}
	}
}
