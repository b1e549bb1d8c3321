package segment

import (
	"bytes"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestListsHaveTheirWords(t *testing.T) {
	for name, packed := range map[string][]byte{"thai": thaiWords, "khmer": khmerWords} {
		list, err := loadWords(packed)
		if err != nil || len(list) < 20_000 {
			t.Fatalf("%s: %d words, %v", name, len(list), err)
		}
		built := newWordList(list)
		for _, w := range list {
			if n := built.longest(w); n != len(w) {
				t.Fatalf("%s: %q: %d bytes", name, w, n)
			}
		}
	}
}

// TestWordListRandom compares lists with a look through all their words.
func TestWordListRandom(t *testing.T) {
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	letters := []rune("abซ្ក\u200d")
	random := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune(letters[r.Intn(len(letters))])
		}
		return b.String()
	}
	for range 300 {
		var list []string
		for range r.Intn(40) {
			list = append(list, random(1+r.Intn(5)))
		}
		slices.Sort(list)
		list = slices.Compact(list)
		var packed bytes.Buffer
		if err := PackWords(&packed, list); err != nil {
			t.Fatal(err)
		}
		back, err := loadWords(packed.Bytes())
		if err != nil || !slices.Equal(back, list) {
			t.Fatalf("seed %d: %q became %q, %v", seed, list, back, err)
		}
		built := newWordList(list)
		text := random(r.Intn(12))
		for at := range text {
			want := 0
			for _, w := range list {
				if strings.HasPrefix(text[at:], w) {
					want = max(want, len(w))
				}
			}
			if got := built.longest(text[at:]); got != want {
				t.Fatalf("seed %d: %q in %q: %d bytes, want %d", seed, list, text[at:], got, want)
			}
		}
		for _, buffer := range []bool{false, true} {
			at := 0
			built.cut(text, buffer, func(n int) bool {
				piece := text[at : at+n]
				if n == 0 || !buffer && built.longest(text[at:]) != n && utf8.RuneCountInString(piece) != 1 {
					t.Fatalf("seed %d: %q cut at %d: %q", seed, text, at, piece)
				}
				at += n
				return true
			})
			if at != len(text) {
				t.Fatalf("seed %d: %q cut up to %d", seed, text, at)
			}
		}
	}
}
