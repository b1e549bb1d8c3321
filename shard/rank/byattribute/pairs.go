package byattribute

import (
	"iter"
	"slices"
	"strings"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// Pairs records, for a whole search with proximityPrecision byAttribute, which
// documents each pair of words matches: those with both words in a searched field,
// among the documents that were ranked when the pair was first queried. Pairs queried
// without ranking, as neighbours in a phrase or as the two halves of a word, match in
// all documents (spec ranking 5.5).
//
// Pairs are not stored one by one. A firstSeen covers all pairs of two lists of words
// that one condition queried.
type Pairs struct {
	s *scope.Scope
	// plain are the queries for pairs of words, prefixed those for a word before a
	// cached prefix, in the order of the queries.
	plain, prefixed []firstSeen
	phrases         map[columns.Pair]struct{}
	sides           map[query.Ref]*side
}

// firstSeen records that the pairs of left and right were queried among the documents
// within. touched are the terms whose splits had been looked up by then.
type firstSeen struct {
	left, right wordSet
	within      docset.Set
	touched     uint64
}

// wordSet is the single words of a node except without, or one word.
type wordSet struct {
	of      *side
	one     string
	without map[string]struct{}
}

func oneWord(w string) wordSet { return wordSet{one: w} }

func (w *wordSet) has(word string) bool {
	if w.of == nil {
		return word == w.one
	}
	if _, ok := w.without[word]; ok {
		return false
	}
	return w.of.has(word)
}

// covers reports whether w certainly contains every word of v. false may be wrong.
func (w *wordSet) covers(v *wordSet) bool {
	switch {
	case v.of == nil:
		return w.has(v.one)
	case w.of == nil || w.of.term != v.of.term || v.of.sub&^w.of.sub&^query.Mandatory != 0:
		return false
	}
	for word := range w.without {
		if v.has(word) {
			return false
		}
	}
	return true
}

// side is the derivations of a node as one end of a pair.
type side struct {
	term *query.Term
	sub  query.Subset
	// words are the single words in an order common to all shards. typos are the typos
	// among them.
	words []string
	typos map[string]struct{}
	// found are the typos that occur in the shard.
	found   []scope.TypoWord
	phrases [][]string
	// prefix is the cached prefix, or "".
	prefix string
	// docs have, in any field, one of the words, a word of the prefix, or the first or
	// last word of a phrase.
	docs docset.Set
}

func (d *side) has(word string) bool {
	t := d.term
	if d.sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		if word == t.Text && t.Known {
			return true
		}
		if d.extended() && len(word) > len(t.Text) && strings.HasPrefix(word, t.Text) {
			if last := scope.LastExtension(t); last == "" || word <= last {
				return true
			}
		}
	}
	_, ok := d.typos[word]
	return ok
}

// extended reports whether the extensions of the term are among the single words.
func (d *side) extended() bool {
	return d.prefix == "" && d.sub&query.Zero != 0 && len(d.term.Extensions) > 0
}

// firsts returns the number of single words and of phrases that start with a word.
func (d *side) firsts() int {
	n := len(d.words)
	for _, p := range d.phrases {
		if p[0] != "" {
			n++
		}
	}
	return n
}

// NewPairs returns the Pairs of a new search. negatives are its excluded phrases.
func NewPairs(s *scope.Scope, negatives [][]string) *Pairs {
	f := &Pairs{s: s, phrases: make(map[columns.Pair]struct{}), sides: make(map[query.Ref]*side)}
	for i := range s.Terms {
		s.Terms[i].Phrases(query.Zero, f.phrase)
	}
	for _, p := range negatives {
		f.phrase(p)
	}
	return f
}

// phrase records the pairs of a phrase.
func (f *Pairs) phrase(words []string) {
	for i, l := range words {
		for _, r := range words[i+1 : min(i+3, len(words))] {
			if l != "" && r != "" {
				f.phrases[columns.Pair{Left: l, Right: r}] = struct{}{}
			}
		}
	}
}

// side returns the derivations of a node.
func (f *Pairs) side(ref query.Ref) (*side, error) {
	ref.Sub &^= query.Mandatory
	if d, ok := f.sides[ref]; ok {
		return d, nil
	}
	d := &side{term: &f.s.Terms[ref.Term], sub: ref.Sub, typos: make(map[string]struct{})}
	if d.term.UsesCache(ref.Sub) && !d.term.IsPhrase() {
		d.prefix = d.term.Text
	}
	var sets []docset.Set
	add := func(w string) (docset.Set, error) {
		docs, err := f.s.Word(w, false)
		sets = append(sets, docs)
		return docs, err
	}
	if ref.Sub&(query.Zero|query.ExactForm) != 0 && !d.term.IsPhrase() && d.term.Known {
		d.words = append(d.words, d.term.Text)
		if _, err := add(d.term.Text); err != nil {
			return nil, err
		}
	}
	if d.prefix != "" || d.extended() {
		last := ""
		if d.extended() {
			d.words, last = append(d.words, d.term.Extensions...), scope.LastExtension(d.term)
		}
		docs, err := f.s.Prefix(&query.Term{Text: d.term.Text}, last)
		if err != nil {
			return nil, err
		}
		sets = append(sets, docs)
	}
	for _, group := range [2]query.Subset{query.One, query.Two} {
		if ref.Sub&group == 0 {
			continue
		}
		for _, w := range scope.TypoList(d.term, group) {
			docs, err := add(w)
			if err != nil {
				return nil, err
			}
			d.words, d.typos[w] = append(d.words, w), struct{}{}
			if !docs.Empty() {
				d.found = append(d.found, scope.TypoWord{Word: w, Docs: docs})
			}
		}
	}
	d.term.Phrases(ref.Sub, func(words []string) { d.phrases = append(d.phrases, words) })
	for _, p := range d.phrases {
		for _, w := range [2]string{p[0], p[len(p)-1]} {
			if w == "" {
				continue
			}
			if _, err := add(w); err != nil {
				return nil, err
			}
		}
	}
	d.docs = docset.Union(sets...)
	f.sides[ref] = d
	return d, nil
}

// see records that pairs are queried among some documents, unless all were queried
// before.
func see(list *[]firstSeen, left, right wordSet, within docset.Set, touched uint64) {
	for i := range *list {
		if e := &(*list)[i]; e.left.covers(&left) && e.right.covers(&right) {
			return
		}
	}
	*list = append(*list, firstSeen{left, right, within, touched})
}

// matches reports whether a document with both words in a searched field was among the
// documents when the pair was first queried.
func (f *Pairs) matches(ord uint32, l, r string) bool {
	e := first(f.plain, l, r)
	return e != nil && (e.within.Contains(ord) || f.everywhere(e.touched, l, r))
}

// matchesPrefix is matches for a word before a cached prefix.
func (f *Pairs) matchesPrefix(ord uint32, l, prefix string) bool {
	e := first(f.prefixed, l, prefix)
	return e != nil && e.within.Contains(ord)
}

// first returns the first query of a pair, or nil.
func first(list []firstSeen, l, r string) *firstSeen {
	for i := range list {
		if e := &list[i]; e.left.has(l) && e.right.has(r) {
			return e
		}
	}
	return nil
}

// everywhere reports whether a pair was queried without ranking: in a phrase, or when a
// term was split.
func (f *Pairs) everywhere(touched uint64, l, r string) bool {
	if _, ok := f.phrases[columns.Pair{Left: l, Right: r}]; ok {
		return true
	}
	for i := range f.s.Terms {
		t := &f.s.Terms[i]
		if touched>>i&1 != 0 && len(t.Text) == len(l)+len(r) && t.Splittable() && strings.HasPrefix(t.Text, l) && strings.HasSuffix(t.Text, r) {
			return true
		}
	}
	return false
}

// unranked yields the pairs that were queried without ranking.
func (f *Pairs) unranked(touched uint64) iter.Seq2[string, string] {
	return func(yield func(l, r string) bool) {
		for p := range f.phrases {
			if !yield(p.Left, p.Right) {
				return
			}
		}
		for i := range f.s.Terms {
			t := &f.s.Terms[i]
			if touched>>i&1 == 0 || !t.Splittable() {
				continue
			}
			for at := range t.Text {
				if at > 0 && !yield(t.Text[:at], t.Text[at:]) {
					return
				}
			}
		}
	}
}

// anywhere reports whether some pair of two nodes was queried without ranking.
func (f *Pairs) anywhere(left, right *side, touched uint64) bool {
	for l, r := range f.unranked(touched) {
		if left.ends(l) && right.ends(r) || left.ends(r) && right.ends(l) {
			return true
		}
	}
	return false
}

// ends reports whether a word is a derivation or the first or last word of a phrase
// among them.
func (d *side) ends(word string) bool {
	if d.has(word) || d.prefix == word {
		return true
	}
	for _, p := range d.phrases {
		if p[0] == word || p[len(p)-1] == word {
			return true
		}
	}
	return false
}

// shared is a pair of words that a document has in one searched field. lp and rp are
// the phrases with these words at their ends, -1 for single words. With kind
// prefixPair, r is the cached prefix.
type shared struct {
	l, r   string
	lp, rp int16
	kind   pairKind
}

type pairKind uint8

const (
	plainPair  pairKind = iota
	prefixPair          // a word before the cached prefix
	behindPair          // the cached prefix, as a word, before a word
)

// place is a word of a document with its occurrences.
type place struct {
	word   string
	phrase int16
	at     []record.Occurrence
}

// placesAtEnds lists the words of a node in the record: single words, then the last
// (left) or first words of phrases.
func placesAtEnds(d *scope.Document, n *side, ord uint32, left bool) []place {
	var out []place
	add := func(w string, phrase int) {
		if at := d.Places(nil, w); len(at) > 0 {
			out = append(out, place{w, int16(phrase), at})
		}
	}
	t := n.term
	if n.sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() && t.Known {
		add(t.Text, -1)
	}
	if n.extended() {
		d.Extensions(t, n.sub, func(w []byte, e record.Entry) bool {
			out = append(out, place{string(w), -1, e.AppendTo(nil)})
			return true
		})
	}
	for i := range n.found {
		if n.found[i].Docs.Contains(ord) {
			add(n.found[i].Word, -1)
		}
	}
	for i, p := range n.phrases {
		w := p[0]
		if left {
			w = p[len(p)-1]
		}
		if w != "" {
			add(w, i)
		}
	}
	return out
}

// prefixPlaces returns the occurrences of words with the cached prefix of a node.
func prefixPlaces(d *scope.Document, n *side) (all []record.Occurrence) {
	d.Extensions(n.term, n.sub, func(_ []byte, e record.Entry) bool {
		all = e.AppendTo(all)
		return true
	})
	slices.SortFunc(all, scope.CompareOccurrences)
	return all
}

// sharedPairs lists the pairs of two nodes in the record.
func sharedPairs(d *scope.Document, left, right *side, ord uint32) (out []shared) {
	ls := placesAtEnds(d, left, ord, true)
	if len(ls) == 0 {
		return nil
	}
	rs := placesAtEnds(d, right, ord, false)
	var prefixed, whole []record.Occurrence
	if right.prefix != "" {
		prefixed, whole = prefixPlaces(d, right), d.Places(nil, right.prefix)
	}
	for _, l := range ls {
		if d.Scope.ShareField(l.at, prefixed) {
			out = append(out, shared{l.word, right.prefix, l.phrase, -1, prefixPair})
			if l.phrase < 0 && d.Scope.ShareField(l.at, whole) {
				out = append(out, shared{l.word, right.prefix, -1, -1, behindPair})
			}
		}
		for _, r := range rs {
			if d.Scope.ShareField(l.at, r.at) {
				out = append(out, shared{l.word, r.word, l.phrase, r.phrase, plainPair})
			}
		}
	}
	return out
}
