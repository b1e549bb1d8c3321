package lexicon

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// syllabicWords returns words whose prefixes are shared about as much as in text.
func syllabicWords(n int) []string {
	rng := rand.New(rand.NewPCG(7, 7))
	onsets := []string{"b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl", "ch", "", "k", "w"}
	vowels := []string{"a", "e", "i", "o", "u", "ea", "io", "é"}
	codas := []string{"", "", "", "n", "r", "s", "t", "l", "nd", "m"}
	pick := func(list []string) string { // the first ones are frequent
		return list[min(rng.IntN(len(list)), rng.IntN(len(list)))]
	}
	seen := map[string]bool{}
	for len(seen) < n {
		w := ""
		for range 1 + rng.IntN(4) {
			w += pick(onsets) + pick(vowels) + pick(codas)
		}
		seen[w] = true
	}
	words := make([]string, 0, n)
	for w := range seen {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

func BenchmarkLexicon(b *testing.B) {
	words := syllabicWords(100_000)
	d := Of(words...)
	rng := rand.New(rand.NewPCG(1, 1))
	var short, long []string
	for len(short) < 200 || len(long) < 200 {
		w := words[rng.IntN(len(words))]
		switch n := len(w); {
		case n >= 5 && n <= 8:
			short = append(short, w)
		case n >= 9 && n < 14:
			long = append(long, w)
		}
	}
	b.ReportMetric(float64(len(d.runs[0].data)+16*len(d.runs[0].heads))/float64(len(words)), "B/word")
	typos := func(d *Dictionary, queries []string, budget int, prefix bool) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				d.Typos(queries[i%len(queries)], budget, prefix)
				i++
			}
		}
	}
	b.Run("one", typos(d, short, 1, false))
	b.Run("onePrefix", typos(d, short, 1, true))
	b.Run("two", typos(d, long, 2, false))
	b.Run("twoPrefix", typos(d, long, 2, true))
	layered := d
	for i := range 5 {
		var changes []Change
		for j := i; j < len(words); j += 1000 >> i {
			changes = append(changes, Change{words[j] + "x", 1})
		}
		layered = layered.Overlay(changes)
	}
	b.Logf("%d runs", len(layered.runs))
	b.Run("twoLayered", typos(layered, long, 2, false))
	b.Run("near2", func(b *testing.B) {
		i := 0
		for b.Loop() {
			for range d.Near(NewAutomaton(long[i%len(long)], 2, true)) {
			}
			i++
		}
	})
	b.Run("contains", func(b *testing.B) {
		i := 0
		for b.Loop() {
			d.Contains(words[i%len(words)])
			i += 7919
		}
	})
	b.Run("prefix1000", func(b *testing.B) {
		for b.Loop() {
			FirstPrefixed("c", 1000, d)
		}
	})
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			i := 0
			Build(func() (string, uint32, bool) {
				if i == len(words) {
					return "", 0, false
				}
				i++
				return words[i-1], 1, true
			})
		}
	})
	b.Run("overlay100", func(b *testing.B) {
		var changes []Change
		for j := 0; j < len(words); j += 1000 {
			changes = append(changes, Change{words[j] + "x", 1})
		}
		for b.Loop() {
			layered.Overlay(changes)
		}
	})
}
