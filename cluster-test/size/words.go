package main

import (
	"math/rand/v2"
	"strings"
)

// vocabulary are words by rank: the most frequent first.
type vocabulary struct {
	words []string
	zipf  *rand.Zipf
}

// vocabularySize is the number of words of a language of descriptions.
const vocabularySize = 150_000

// newVocabulary makes words of syllables: frequent ones are short, and many share
// their beginnings, as words do.
func newVocabulary(r *rand.Rand) *vocabulary {
	const onsets = "b c d f g h j k l m n p r s t v w st tr pr ch sh pl gr br cl"
	const vowels = "a e i o u a e i o ea ou"
	const codas = "n r s t l m d x - - - - ng nt"
	on, vo, co := strings.Fields(onsets), strings.Fields(vowels), strings.Fields(codas)
	v := &vocabulary{zipf: rand.NewZipf(r, 1.08, 3, vocabularySize-1)}
	seen := make(map[string]bool, vocabularySize)
	for len(v.words) < vocabularySize {
		var b strings.Builder
		n := 1 + r.IntN(2)
		if len(v.words) > 200 {
			n = 2 + r.IntN(3)
		}
		if r.IntN(5) == 0 {
			b.WriteString(vo[r.IntN(len(vo))])
		}
		for range n {
			b.WriteString(on[r.IntN(len(on))])
			b.WriteString(vo[r.IntN(len(vo))])
			b.WriteString(strings.TrimPrefix(co[r.IntN(len(co))], "-"))
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			v.words = append(v.words, w)
		}
	}
	return v
}

// word draws a word.
func (v *vocabulary) word() string { return v.words[v.zipf.Uint64()] }

// text draws n words.
func (v *vocabulary) text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(v.word())
	}
	return b.String()
}
