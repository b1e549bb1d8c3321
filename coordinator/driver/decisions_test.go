package driver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"shoal/query"
	"shoal/wire"
)

// A merged list is complete up to the least last ordinal of those shards that have more.
func TestAMergedListEndsWhereTheFirstShardListWasCut(t *testing.T) {
	for _, c := range []struct {
		lists [][]uint32
		cut   []bool
		known string
		from  uint32
		more  bool
	}{
		{[][]uint32{{1, 4, 7}, {2, 3}}, []bool{false, false}, "1 2 3 4 7", 0, false},
		{[][]uint32{{1, 4, 7}, {2, 3}}, []bool{false, true}, "1 2 3", 4, true},
		{[][]uint32{{1, 4, 7}, {2, 3}}, []bool{true, false}, "1 2 3 4 7", 8, true},
		{[][]uint32{{1, 4, 7}, {2, 3, 9}}, []bool{true, true}, "1 2 3 4 7", 8, true},
		{[][]uint32{{1, 9}, {2, 3}, {5}}, []bool{true, true, true}, "1 2 3", 4, true},
	} {
		docs, from, more := complete(mergeOrdinals(c.lists, wire.AllItems), c.lists, c.cut)
		var known []string
		for _, d := range docs {
			known = append(known, fmt.Sprint(d.ord))
		}
		if got := strings.Join(known, " "); got != c.known || from != c.from || more != c.more {
			t.Errorf("%v cut %v: %s, on from %d (%v); want %s, %d (%v)", c.lists, c.cut, got, from, more, c.known, c.from, c.more)
		}
	}
}

// facts builds a shard's report of words near one: "word/typos", with a ! when the first
// character differs.
func facts(words ...string) *wire.WordFacts {
	f := &wire.WordFacts{}
	for _, w := range words {
		word, foreign := strings.CutSuffix(w, "!")
		word, typos, _ := strings.Cut(word, "/")
		f.Typos = append(f.Typos, wire.TypoWord{Word: word, Distance: typos[0] - '0', Foreign: foreign})
	}
	return f
}

func numbered(n int, form string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(form, i)
	}
	return out
}

// The limits of spec ranking 3.3 hold for all shards together, in the order of words.
func TestWordsWithTyposAreLimitedOverAllShards(t *testing.T) {
	one, two := mergeTypos(1, []*wire.WordFacts{facts("b/1", "d/2", "e/1!"), facts("a/1", "b/1")})
	if got := fmt.Sprint(one, two); got != "[a b] []" {
		t.Errorf("one typo: %s", got)
	}
	one, two = mergeTypos(2, []*wire.WordFacts{facts("b/1", "d/2", "e/1!"), facts("a/1", "b/1")})
	if got := fmt.Sprint(one, two); got != "[a b] [d e]" {
		t.Errorf("two typos: %s", got)
	}
	// Two shards have more than the limit: the first in the order of words stay.
	most := query.MaxOneTypo
	shards := []*wire.WordFacts{facts(numbered(most, "x%03d/1")...), facts(numbered(most, "y%03d/1")...)}
	if one, _ = mergeTypos(1, shards); len(one) != most || one[most-1] != fmt.Sprintf("x%03d", most-1) {
		t.Errorf("%d words with one typo, the last is %s", len(one), one[len(one)-1])
	}
	// Words with two typos are collected until their own limit is reached.
	late := append(numbered(most+5, "x%03d/1"), numbered(query.MaxTwoTypos+5, "z%03d/2")...)
	if one, two = mergeTypos(2, []*wire.WordFacts{facts(late...)}); len(one) != most || len(two) != query.MaxTwoTypos {
		t.Errorf("%d words with one typo and %d with two", len(one), len(two))
	}
	// A word whose first character differs counts as two typos, unless those are full.
	full := append(numbered(query.MaxTwoTypos, "a%03d/2"), "b/1!")
	if one, two = mergeTypos(2, []*wire.WordFacts{facts(full...)}); fmt.Sprint(one) != "[b]" || len(two) != query.MaxTwoTypos {
		t.Errorf("%v, and %d with two", one, len(two))
	}
}

// split finds the best cut of a term as the driver does. counts are the counts of the cuts in
// text order, bounds the shards' upper bounds for them.
func split(t *testing.T, bounds, counts []uint32) (at, asked int) {
	t.Helper()
	term := &query.Term{Text: "abcdef"}
	c := newSplitChoice(term, []*wire.WordFacts{{Bounds: bounds[:2]}, {Bounds: bounds}})
	if c == nil {
		return 0, 0
	}
	for pairs := c.next(1); len(pairs) > 0; pairs = c.next(1) {
		asked++
		if pairs[0].Left+pairs[0].Right != term.Text {
			t.Fatalf("%+v is no cut of %s", pairs[0], term.Text)
		}
		c.take(uint64(counts[len(pairs[0].Left)-1]))
	}
	if c.best == nil {
		return 0, asked
	}
	return c.best.at, asked
}

// The cut with the most documents wins, of equals the first. Cuts that cannot win are not
// counted.
func TestTheCutWithMostDocumentsWins(t *testing.T) {
	for _, c := range []struct {
		bounds, counts []uint32
		at, asked      int
	}{
		{[]uint32{0, 0, 0, 0, 0}, nil, 0, 0},
		{[]uint32{0, 0, 7, 0, 0}, []uint32{0, 0, 0, 0, 0}, 0, 1},
		{[]uint32{0, 0, 7, 0, 0}, []uint32{0, 0, 2, 0, 0}, 3, 1},
		{[]uint32{0, 0, 7, 5, 0}, []uint32{0, 0, 5, 5, 0}, 3, 1}, // the other may be as good, but comes later
		{[]uint32{0, 0, 5, 7, 0}, []uint32{0, 0, 5, 5, 0}, 3, 2}, // it may be as good and comes sooner
		{[]uint32{0, 0, 5, 7, 0}, []uint32{0, 0, 4, 5, 0}, 4, 2},
		{[]uint32{0, 0, 7, 6, 0}, []uint32{0, 0, 5, 6, 0}, 4, 2},
		{[]uint32{3, 0, 7, 0, 0}, []uint32{6, 0, 5, 0, 0}, 1, 2}, // its bound is that of both shards
	} {
		if at, asked := split(t, c.bounds, c.counts); at != c.at || asked != c.asked {
			t.Errorf("bounds %v, counts %v: cut at %d after %d counts, want %d after %d", c.bounds, c.counts, at, asked, c.at, c.asked)
		}
	}
}

// Several cuts are counted in one round, the best bounds first.
func TestCutsWithTheBestBoundsAreCountedFirst(t *testing.T) {
	c := newSplitChoice(&query.Term{Text: "abcdef"}, []*wire.WordFacts{{Bounds: []uint32{1, 9, 3, 0, 5}}})
	var got []string
	for _, p := range c.next(cutsAtOnce) {
		got = append(got, fmt.Sprintf("%s %s %d", p.Left, p.Right, p.Enough))
	}
	// Counting one may end at a count that no other can reach.
	if want := []string{"ab cdef 6", "abcde f 10", "abc def 10", "a bcdef 10"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
