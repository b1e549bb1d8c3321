package lexicon

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/query"
)

const maxOneTypo, maxTwoTypos = query.MaxOneTypo, query.MaxTwoTypos

// osa is the distance by its definition.
func osa(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range b {
		d[0][j+1] = j + 1
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// slowMatch is spec ranking 3.3 word for word.
func slowMatch(query, word string, bound int, prefix bool) (int, bool) {
	q, w := []rune(query), []rune(word)
	if prefix {
		for k := range len(w) + 1 {
			d := osa(q, w[:k])
			if d > bound {
				continue
			}
			closer := false
			for j := range q {
				closer = closer || osa(q[:j], w[:k]) < d
			}
			if !closer {
				return d, true
			}
		}
	}
	d := osa(q, w)
	return d, d <= bound
}

var alphabets = [][]rune{[]rune("ab"), []rune("abc"), []rune("abéд"), []rune("กขค\u0e31"), []rune("a😀д字")}

func randomWord(rng *rand.Rand, alphabet []rune, longest int) string {
	var b strings.Builder
	for range rng.IntN(longest + 1) {
		b.WriteRune(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

// mangle applies a few random edits.
func mangle(rng *rand.Rand, word string, alphabet []rune) string {
	w := []rune(word)
	for range rng.IntN(4) {
		i := rng.IntN(len(w) + 1)
		switch c := alphabet[rng.IntN(len(alphabet))]; rng.IntN(5) {
		case 0:
			w = slices.Insert(w, i, c)
		case 1:
			if i < len(w) {
				w = slices.Delete(w, i, i+1)
			}
		case 2:
			if i < len(w) {
				w[i] = c
			}
		case 3:
			if i+1 < len(w) {
				w[i], w[i+1] = w[i+1], w[i]
			}
		case 4:
			w = append(w, c)
		}
	}
	return string(w)
}

func newRand(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// rounds is the number of rounds of a random test; fewer under the race detector and
// with -short.
func rounds(n int) int {
	if testing.Short() {
		n /= 8
	}
	return n / raceFactor
}

func TestAutomatonMatchesDefinition(t *testing.T) {
	rng := newRand(t)
	for range rounds(60000) {
		alphabet := alphabets[rng.IntN(len(alphabets))]
		longest := 9
		if rng.IntN(10) == 0 {
			longest = 40
		}
		query := randomWord(rng, alphabet, longest)
		word := mangle(rng, query, alphabet)
		if rng.IntN(4) == 0 {
			word = randomWord(rng, alphabet, longest)
		}
		for bound := range MaxDistance + 1 {
			for _, prefix := range []bool{false, true} {
				got, ok := NewAutomaton(query, bound, prefix).Match(word)
				want, wantOK := slowMatch(query, word, bound, prefix)
				if ok != wantOK || ok && got != want {
					t.Fatalf("%q and %q within %d, prefix %v: %d %v, want %d %v", query, word, bound, prefix, got, ok, want, wantOK)
				}
			}
		}
	}
}

func TestParametricSize(t *testing.T) {
	for bound := range MaxDistance + 1 {
		p := parametrics[bound]()
		t.Logf("bound %d: %d states", bound, len(p.cost))
		if len(p.cost) > 2000 {
			t.Errorf("bound %d has %d states", bound, len(p.cost))
		}
	}
}

// randomDictionary returns a dictionary, built at once or in layers, and its words in
// order.
func randomDictionary(rng *rand.Rand, alphabet []rune, n int) (*Dictionary, []string) {
	model := map[string]uint32{}
	d := &Dictionary{}
	for len(model) < n/2 {
		w := randomWord(rng, alphabet, 12)
		if w == "" {
			continue
		}
		model[w] = 1 + uint32(rng.IntN(300))
		n--
	}
	sorted := slices.Sorted(maps.Keys(model))
	i := 0
	d = Build(func() (string, uint32, bool) {
		if i == len(sorted) {
			return "", 0, false
		}
		i++
		return sorted[i-1], model[sorted[i-1]], true
	})
	for range rng.IntN(6) {
		changed := map[string]uint32{}
		for range rng.IntN(40) {
			w := randomWord(rng, alphabet, 12)
			if rng.IntN(2) == 0 {
				w = sorted[rng.IntN(len(sorted))]
			}
			if w != "" {
				changed[w] = uint32(rng.IntN(3))
			}
		}
		var changes []Change
		for _, w := range slices.Sorted(maps.Keys(changed)) {
			changes = append(changes, Change{w, changed[w]})
			if changed[w] == 0 {
				delete(model, w)
			} else {
				model[w] = changed[w]
			}
		}
		d = d.Overlay(changes)
	}
	words := slices.Sorted(maps.Keys(model))
	return d, words
}

func TestDictionary(t *testing.T) {
	rng := newRand(t)
	for range 300 {
		alphabet := alphabets[rng.IntN(len(alphabets))]
		d, words := randomDictionary(rng, alphabet, 20+rng.IntN(300))
		var got []string
		for w, count := range d.All() {
			got = append(got, w)
			if count == 0 || d.Count(w) != count {
				t.Fatalf("%q: counts %d and %d", w, count, d.Count(w))
			}
		}
		if !slices.Equal(got, words) || d.Len() != len(words) {
			t.Fatalf("words %q, want %q (Len %d)", got, words, d.Len())
		}
		for range 30 {
			p := randomWord(rng, alphabet, 4)
			_, has := slices.BinarySearch(words, p)
			if d.Contains(p) != has {
				t.Fatalf("Contains(%q) is %v", p, !has)
			}
			var all, strict []string
			for _, w := range words {
				if strings.HasPrefix(w, p) {
					all = append(all, w)
					if w != p {
						strict = append(strict, w)
					}
				}
			}
			if got := slices.Collect(d.Prefix(p, false)); !slices.Equal(got, all) {
				t.Fatalf("Prefix(%q): %q, want %q", p, got, all)
			}
			if n := d.CountPrefix(p, 10); n != min(10, len(all)) {
				t.Fatalf("CountPrefix(%q): %d", p, n)
			}
			if got := FirstPrefixed(p, 7, d, Of(words...), Of()); !slices.Equal(got, strict[:min(7, len(strict))]) {
				t.Fatalf("FirstPrefixed(%q): %q", p, got)
			}
		}
	}
}

func TestNear(t *testing.T) {
	rng := newRand(t)
	for range rounds(1500 * raceFactor) {
		alphabet := alphabets[rng.IntN(len(alphabets))]
		d, words := randomDictionary(rng, alphabet, 20+rng.IntN(200))
		query := mangle(rng, words[rng.IntN(len(words))], alphabet)
		for bound := range MaxDistance + 1 {
			for _, prefix := range []bool{false, true} {
				want := map[string]int{}
				var order []string
				for _, w := range words {
					if dist, ok := slowMatch(query, w, bound, prefix); ok {
						want[w] = dist
						order = append(order, w)
					}
				}
				var got []string
				for w, dist := range d.Near(NewAutomaton(query, bound, prefix)) {
					if got = append(got, w); want[w] != dist {
						t.Fatalf("%q: %q at %d, want %d", query, w, dist, want[w])
					}
				}
				if !slices.Equal(got, order) {
					t.Fatalf("%q within %d, prefix %v: %q, want %q", query, bound, prefix, got, order)
				}
			}
		}
	}
}

// slowTypos is the scan of spec ranking 3.3 over a sorted list of words.
func slowTypos(words []string, query string, budget int, prefix bool) (one, two []string) {
	q := []rune(query)
	for _, w := range words {
		same := []rune(w)[0] == q[0]
		d, ok := slowMatch(query, w, budget, prefix)
		switch {
		case budget == 1:
			if len(one) >= maxOneTypo {
				return one, two
			}
			if ok && same && d == 1 {
				one = append(one, w)
			}
		default:
			if len(one) >= maxOneTypo && len(two) >= maxTwoTypos {
				return one, two
			}
			if _, near := slowMatch(query, w, 1, prefix); !ok || !same && !near {
				continue
			}
			if !same && len(two) < maxTwoTypos {
				two = append(two, w)
			} else if d == 1 && len(one) < maxOneTypo {
				one = append(one, w)
			} else if d == 2 && len(two) < maxTwoTypos {
				two = append(two, w)
			}
		}
	}
	return one, two
}

// deal returns the derivations among the candidates of all parts of a dictionary.
func deal(budget int, parts ...[]Candidate) (one, two []string) {
	all := slices.Concat(parts...)
	slices.SortFunc(all, func(a, b Candidate) int { return strings.Compare(a.Word, b.Word) })
	lists := query.TypoLists{Budget: budget}
	for _, c := range slices.Compact(all) {
		switch lists.Take(c.Distance, !c.SameFirst) {
		case 1:
			one = append(one, c.Word)
		case 2:
			two = append(two, c.Word)
		}
	}
	return one, two
}

// TestTypos checks the scan. It also checks that merging the parts of a dictionary
// gives the same as the whole.
func TestTypos(t *testing.T) {
	rng := newRand(t)
	full := 0
	for round := range rounds(400) {
		alphabet := alphabets[rng.IntN(len(alphabets))]
		n := 20 + rng.IntN(300)
		if round%10 == 0 {
			alphabet, n = []rune("abcdefgh"), 6000 // enough neighbours to fill the lists
		}
		d, words := randomDictionary(rng, alphabet, n)
		if round%10 == 0 {
			base := randomWord(rng, alphabet, 9) + "a"
			near := map[string]bool{}
			for range 1500 {
				if w := mangle(rng, base, alphabet); w != "" {
					near[w] = true
				}
			}
			for _, w := range words {
				near[w] = true
			}
			words = slices.Sorted(maps.Keys(near))
			d = Of(words...)
			words = append([]string{base}, words...) // the query, drawn below
		}
		query := words[0]
		if round%10 != 0 {
			query = mangle(rng, words[rng.IntN(len(words))], alphabet)
		} else {
			words = words[1:]
		}
		if query == "" {
			continue
		}
		parts := make([][]string, 1+rng.IntN(4))
		for _, w := range words {
			for i := range parts {
				if rng.IntN(len(parts)) == i || i == len(w)%len(parts) {
					parts[i] = append(parts[i], w)
				}
			}
		}
		for budget := 1; budget <= 2; budget++ {
			for _, prefix := range []bool{false, true} {
				one, two := slowTypos(words, query, budget, prefix)
				if len(one) == maxOneTypo {
					full++
				}
				gotOne, gotTwo := deal(budget, d.Typos(query, budget, prefix))
				if !slices.Equal(one, gotOne) || !slices.Equal(two, gotTwo) {
					t.Fatalf("%q budget %d prefix %v:\n%q\n%q\nwant\n%q\n%q", query, budget, prefix, gotOne, gotTwo, one, two)
				}
				var streams [][]Candidate
				for _, p := range parts {
					streams = append(streams, Of(p...).Typos(query, budget, prefix))
				}
				gotOne, gotTwo = deal(budget, streams...)
				if !slices.Equal(one, gotOne) || !slices.Equal(two, gotTwo) {
					t.Fatalf("merged, %q budget %d prefix %v:\n%q\n%q\nwant\n%q\n%q", query, budget, prefix, gotOne, gotTwo, one, two)
				}
			}
		}
	}
	if full == 0 {
		t.Error("no case reached the limit")
	}
}

// TestTyposOfSpec is spec ranking appendix C6.
func TestTyposOfSpec(t *testing.T) {
	d := Of("abcdefghi", "bacdefghi", "abcdefgih", "abcdefg", "xbcdefghi", "xxcdefghi", "abcdefghijk", "abcdxfghixx")
	for _, c := range []struct {
		query    string
		budget   int
		prefix   bool
		one, two string
	}{
		{"abcdefghi", 2, false, "abcdefgih", "abcdefg abcdefghijk bacdefghi xbcdefghi"},
		{"abcdefghi", 2, true, "abcdefgih abcdxfghixx", "abcdefg bacdefghi xbcdefghi"},
		{"abcdefgh", 1, true, "abcdefg abcdefgih abcdxfghixx", ""},
		{"abcdefgh", 1, false, "abcdefg abcdefghi abcdefgih", ""},
	} {
		one, two := deal(c.budget, d.Typos(c.query, c.budget, c.prefix))
		if got := strings.Join(one, " "); got != c.one {
			t.Errorf("%s/%d/%v one: %s, want %s", c.query, c.budget, c.prefix, got, c.one)
		}
		if got := strings.Join(two, " "); got != c.two {
			t.Errorf("%s/%d/%v two: %s, want %s", c.query, c.budget, c.prefix, got, c.two)
		}
	}
}

func TestOverlaySharesNothingWritable(t *testing.T) {
	base := Of("a", "b", "c")
	x := base.Overlay([]Change{{"b", 0}, {"d", 5}})
	y := base.Overlay([]Change{{"b", 9}})
	for _, c := range []struct {
		d    *Dictionary
		want string
	}{{base, "a1 b1 c1 "}, {x, "a1 c1 d5 "}, {y, "a1 b9 c1 "}, {x.Overlay([]Change{{"a", 0}, {"c", 0}, {"d", 0}}), ""}, {&Dictionary{}, ""}} {
		got := ""
		for w, n := range c.d.All() {
			got += fmt.Sprint(w, n, " ")
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func FuzzTypos(f *testing.F) {
	f.Add("hello help hallo ahello", "hello", true)
	f.Add("ก ขก กข", "กข", false)
	f.Add("\xff\xfe a\xffb \x80", "a\xff", true)
	f.Fuzz(func(t *testing.T, list, query string, prefix bool) {
		words := strings.Fields(list)
		d := Of(words...)
		words = slices.Sorted(slices.Values(words))
		words = slices.Compact(words)
		if d.Len() != len(words) {
			t.Fatalf("%d words of %q", d.Len(), words)
		}
		valid := strings.ToValidUTF8(list+query, "") == list+query
		for budget := range MaxDistance + 1 {
			deal(budget, d.Typos(query, budget, prefix))
			a := NewAutomaton(query, budget, prefix)
			var got, want []string
			for w := range d.Near(a) {
				got = append(got, w)
			}
			for _, w := range words {
				if _, ok := a.Match(w); ok {
					want = append(want, w)
				}
			}
			if valid && !slices.Equal(got, want) {
				t.Fatalf("%q: %q, want %q", query, got, want)
			}
		}
	})
}
