package render

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/text"
	"shoal/wire"
)

// allMatches is analyse with all tokens in memory.
func allMatches(m *matcher, raw string, tokens []text.Token) (found []match) {
	word := 0
	for i := 0; i < len(tokens); i++ {
		if tokens[i].Kind.IsSeparator() {
			continue
		}
		if p, n := m.phraseAt(tokens[i:], i, word); n > 0 {
			found = append(found, p)
			word += p.lastWord - p.firstWord
			i = p.lastToken
		} else if e, ok := m.lookup(tokens[i].Lemma); ok {
			t := &tokens[i]
			one := match{firstToken: i, lastToken: i, firstWord: word, lastWord: word, start: t.Start, end: t.End, chars: t.CharEnd - t.CharStart, firstID: e.first, lastID: e.last}
			if e.length > 0 {
				one.chars, _ = t.OriginalLength(raw, e.length)
			}
			found = append(found, one)
		}
		word++
	}
	return found
}

func TestMatchesAreFoundInAStreamOfTokens(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	lists := []wire.MatchList{words("sun"), words("sun", "flo*"), words(`"sun sun flower"`, "sun"), words(`"tan x"`, `"x"`, `"tan x sun tan x"`, "s*"), words(`"nowhere tan"`), {}}
	pieces := []string{"sun", "flower", "tan", "x", ", ", ". ", "-", "été", "日本", strings.Repeat("sun", 7000), strings.Repeat(" ", 40)}
	matches := 0
	for range 4000 {
		var b strings.Builder
		for range r.IntN(30) {
			n := len(pieces)
			if r.IntN(50) > 0 {
				n -= 2 // the long ones are rare
			}
			b.WriteString(pieces[r.IntN(n)])
			if r.IntN(3) > 0 {
				b.WriteByte(' ')
			}
		}
		raw, list := b.String(), lists[r.IntN(len(lists))]
		m := newMatcher(&list)
		tokens := slices.Collect(text.Default.Tokenize(raw))
		got, want := analyse(raw, text.Default, m, true), allMatches(m, raw, tokens)
		if !slices.Equal(got.matches, want) {
			t.Fatalf("%q with %+v:\n%+v\ninstead of\n%+v", raw, list, got.matches, want)
		}
		if without := analyse(raw, text.Default, m, false); !slices.Equal(without.matches, want) {
			t.Fatalf("%q with %+v, not cropped: %+v", raw, list, without.matches)
		}
		matches += len(want)
		if got.cuts.len() != len(tokens) {
			t.Fatalf("%q: %d pieces of %d tokens", raw, got.cuts.len(), len(tokens))
		}
		for i, token := range tokens {
			if got.cuts.start(i) != token.Start || got.cuts.end(i) != token.End || got.cuts.kind(i) != token.Kind {
				t.Fatalf("%q: token %d is %+v, not %d to %d", raw, i, token, got.cuts.start(i), got.cuts.end(i))
			}
		}
	}
	if matches < 1000 {
		t.Errorf("only %d matches were compared", matches)
	}
}

// BenchmarkCrop renders the cropped texts of a page of 20 documents of 8 KiB.
func BenchmarkCrop(b *testing.B) {
	raw := strings.Repeat("It was the best of times, it was the worst of times, and a sunflower grew behind the house. ", 90)
	list := words("sunflower", "hou*")
	m := newMatcher(&list)
	b.ReportAllocs()
	for b.Loop() {
		for range 20 {
			_ = analyse(raw, text.Default, m, true).format(options{highlight: true, crop: 20, hasCrop: true}, &style{"<em>", "</em>", "…"})
		}
	}
}
