package record

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// twin is a token record as simple maps.
type twin struct {
	words  map[string][]Occurrence
	flags  map[string]uint8
	tokens map[uint16]int
}

func randomWord(r *rand.Rand) string {
	const letters = "ab\x00\xffé"
	n := r.IntN(6)
	if r.IntN(20) == 0 {
		n = 10 + r.IntN(240)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

func randomRecord(r *rand.Rand, w *Writer) (twin, []byte) {
	t := twin{map[string][]Occurrence{}, map[string]uint8{}, map[uint16]int{}}
	seen := map[Occurrence]bool{}
	limit := []int{0, 3, 60, 2000, 12000}[r.IntN(5)]
	for range limit {
		o := Occurrence{uint16(r.IntN(4) * 700), uint16(r.IntN(1 << (3 + r.IntN(14))))}
		if seen[o] {
			continue
		}
		seen[o] = true
		word, exact := randomWord(r), r.IntN(3) == 0
		w.Add(word, o.Field, o.Position, exact)
		t.words[word] = append(t.words[word], o)
		if exact {
			t.flags[word] |= Exact
		} else {
			t.flags[word] |= Tolerant
		}
		t.tokens[o.Field]++
	}
	for _, places := range t.words {
		slices.SortFunc(places, func(a, b Occurrence) int {
			if a.Field != b.Field {
				return int(a.Field) - int(b.Field)
			}
			return int(a.Position) - int(b.Position)
		})
	}
	return t, w.Finish(nil)
}

func TestTokensAgainstMaps(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	var w Writer
	var cursor Cursor
	for range 60 {
		want, data := randomRecord(r, &w)
		numbered := map[string]uint8{}
		w.Written(func(number uint32, flags uint8) { numbered[string(w.Words().Name(number))] = flags })
		if !maps.Equal(numbered, want.flags) {
			t.Fatalf("%d words are told by number, want %d", len(numbered), len(want.flags))
		}
		if r.IntN(10) == 0 {
			w.Words().Reset()
		}
		got, err := Parse(data)
		if err != nil || got.Len() != len(want.words) {
			t.Fatalf("Parse: %v, %d words, want %d", err, got.Len(), len(want.words))
		}
		words := slices.Sorted(maps.Keys(want.words))
		if !slices.Equal(got.Strings(), words) {
			t.Fatalf("words differ")
		}
		cursor.Reset(got)
		for _, word := range words {
			e, ok := got.Find(word)
			if !ok || e.Flags() != want.flags[word] || e.Len() != len(want.words[word]) || !slices.Equal(e.AppendTo(nil), want.words[word]) {
				t.Fatalf("Find(%q): %v %v, want %v", word, ok, e.AppendTo(nil), want.words[word])
			}
			if r.IntN(3) == 0 && (!cursor.Seek(word) || string(cursor.Word()) != word || cursor.Len() != e.Len()) {
				t.Fatalf("Seek(%q) found %q", word, cursor.Word())
			}
		}
		checkMisses(t, r, got, words)
		got.Fields(func(f FieldTokens) bool {
			if want.tokens[f.Field] != int(f.Tokens) || got.FieldTokens(f.Field) != int(f.Tokens) {
				t.Fatalf("field %d has %d tokens, want %d", f.Field, f.Tokens, want.tokens[f.Field])
			}
			delete(want.tokens, f.Field)
			return true
		})
		if len(want.tokens) > 0 || got.FieldTokens(9999) != 0 {
			t.Fatalf("fields left: %v", want.tokens)
		}
	}
}

func checkMisses(t *testing.T, r *rand.Rand, got Tokens, words []string) {
	t.Helper()
	for range 200 {
		word := randomWord(r)
		at, found := slices.BinarySearch(words, word)
		if _, ok := got.Find(word); ok != found || got.Has(word) != found {
			t.Fatalf("Find(%q) = %v", word, ok)
		}
		c := got.Cursor()
		if c.Seek(word) != (at < len(words)) || at < len(words) && string(c.Word()) != words[at] {
			t.Fatalf("Seek(%q) found %q", word, c.Word())
		}
		var under, want []string
		got.Prefix(word, func(w []byte, _ Entry) bool {
			under = append(under, string(w))
			return true
		})
		for _, w := range words {
			if strings.HasPrefix(w, word) {
				want = append(want, w)
			}
		}
		if !slices.Equal(under, want) {
			t.Fatalf("Prefix(%q): %d words, want %d", word, len(under), len(want))
		}
	}
}

func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	var w Writer
	for range 8 {
		_, data := randomRecord(r, &w)
		f.Add(data, "a")
	}
	f.Fuzz(func(t *testing.T, data []byte, word string) {
		rec, err := Parse(data)
		if err != nil {
			return
		}
		rec.Fields(func(FieldTokens) bool { return true })
		rec.Find(word)
		c := rec.Cursor()
		for c.Seek(word); c.Next(); {
			c.AppendTo(nil)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var w Writer
	words := strings.Fields(strings.Repeat("the quick brown fox jumps over a lazy dog while many other words stand around in this description of some package with libraries and programs ", 2))
	for i, word := range words {
		w.Add(word, 2, uint16(i), false)
	}
	data := w.Finish(nil)
	b.ReportAllocs()
	for b.Loop() {
		rec, _ := Parse(data)
		rec.Find("dog")
		rec.Find("programs")
		rec.Find("missing")
	}
}
