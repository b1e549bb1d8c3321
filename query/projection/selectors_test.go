package projection

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSelectorsAgainstTwin compares every look with one through all names.
func TestSelectorsAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	name := func(parts int) string {
		var list []string
		for range 1 + r.IntN(parts) {
			list = append(list, []string{"a", "ab", "a-", "b", "", "é", "a0"}[r.IntN(7)])
		}
		return strings.Join(list, ".")
	}
	var compare func(s Selectors, names []string, depth int)
	compare = func(s Selectors, names []string, depth int) {
		if s.Empty() != (len(names) == 0) {
			t.Fatalf("%v: empty is %v", names, s.Empty())
		}
		for range 4 {
			member := name(2)
			if s.Has(member) != slices.Contains(names, member) {
				t.Fatalf("%q has %q: %v", names, member, s.Has(member))
			}
			var under []string
			for _, n := range names {
				if rest, ok := strings.CutPrefix(n, member+"."); ok {
					under = append(under, rest)
				}
			}
			if depth > 0 {
				compare(s.Under(member), under, depth-1)
			} else if s.Under(member).Empty() != (len(under) == 0) {
				t.Fatalf("%q under %q", names, member)
			}
		}
	}
	for range 2000 {
		names := make([]string, r.IntN(12))
		for i := range names {
			names[i] = name(4)
		}
		compare(NewSelectors(names), names, 3)
	}
}
