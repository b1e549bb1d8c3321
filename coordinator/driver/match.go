package driver

import (
	"slices"

	"shoal/query"
	"shoal/wire"
)

// Match lists what counts as a match of the query when hits are rendered: the
// words and phrases of every term, those found by typo tolerance only for terms
// whose typos were looked up (spec ranking 10.2).
func (r *Ranked) Match() wire.MatchList {
	var list wire.MatchList
	for i := range r.Terms {
		t := &r.Terms[i]
		sub := query.Zero
		if r.Touched>>i&1 != 0 {
			sub = query.Full
		}
		t.Phrases(sub, func(words []string) {
			list.Phrases = append(list.Phrases, wire.MatchPhrase{Words: words, First: t.First, Last: t.Last})
		})
		if words := matchWords(t, sub); len(words) > 0 {
			list.Words = append(list.Words, wire.MatchWords{Words: words, First: t.First, Last: t.Last, Prefix: t.Prefix, Chars: t.Chars()})
		}
	}
	slices.SortStableFunc(list.Words, func(a, b wire.MatchWords) int {
		if a.Prefix != b.Prefix {
			if b.Prefix {
				return -1
			}
			return 1
		}
		return int(b.Last-b.First) - int(a.Last-a.First)
	})
	return list
}

// matchWords lists the single words of a term in the order in which they were
// found.
func matchWords(t *query.Term, sub query.Subset) []string {
	var words []string
	if t.Known {
		words = append(words, t.Text)
	}
	words = append(words, t.Extensions...)
	if sub&query.One == 0 {
		return words
	}
	typos := slices.Concat(t.One, t.Two)
	slices.Sort(typos)
	return append(words, typos...)
}
