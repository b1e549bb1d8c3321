package lexicon

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSumAddsUpCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 15))
	for range 200 {
		want := map[string]uint32{}
		dictionaries := make([]*Dictionary, r.IntN(5))
		for i := range dictionaries {
			own := map[string]uint32{}
			for range r.IntN(60) {
				word := string([]byte{'a' + byte(r.IntN(6)), 'a' + byte(r.IntN(6))})
				own[word] = 1 + r.Uint32N(9)
			}
			words := slices.Sorted(maps.Keys(own))
			d := Build(func() (string, uint32, bool) {
				if len(words) == 0 {
					return "", 0, false
				}
				w := words[0]
				words = words[1:]
				return w, own[w], true
			})
			if word, n, any := anyOf(own); any && r.IntN(2) == 0 { // a run on top that removes words
				d = d.Overlay([]Change{{Word: word}})
				own[word] -= n
			}
			for w, n := range own {
				want[w] += n
			}
			dictionaries[i] = d
		}
		maps.DeleteFunc(want, func(_ string, n uint32) bool { return n == 0 })
		got := Sum(dictionaries...)
		if all := maps.Collect(got.All()); !maps.Equal(all, want) || got.Len() != len(want) {
			t.Fatalf("%d words %v, want %v", got.Len(), all, want)
		}
	}
}

func anyOf(m map[string]uint32) (string, uint32, bool) {
	for _, w := range slices.Sorted(maps.Keys(m)) {
		return w, m[w], true
	}
	return "", 0, false
}
