package segment

import (
	"bytes"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestListsHaveTheirWords(t *testing.T) {
	for name, want := range map[string]struct {
		list   *trie
		words  int
		sample string
	}{"thai": {thaiList(), 62055, "ภาษาไทย"}, "khmer": {khmerList(), 81028, "ភាសាខ្មែរ"}} {
		words := 0
		for _, v := range want.list.values {
			words += int(v)
		}
		if words != want.words || want.list.longest(want.sample+"a") != len(want.sample) {
			t.Errorf("%s: %d words, not %d", name, words, want.words)
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
		if err := WriteWords(&packed, slices.Clone(list)); err != nil {
			t.Fatal(err)
		}
		built, err := readTrie(inflate(&packed))
		if err != nil || !reflect.DeepEqual(built, newTrie(list, nil)) {
			t.Fatalf("seed %d: %q became %+v, %v", seed, list, built, err)
		}
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
			built.cutLongest(text, buffer, func(n int) bool {
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
