package query

import "unicode/utf8"

// Limits of a keyword query (spec ranking 0).
const (
	// MaxTerms bounds the terms of a query; a phrase counts as one.
	MaxTerms = 10
	// MaxTokens bounds the tokens that are read, separators included.
	MaxTokens = 1000
	// MaxWordBytes bounds the words that are indexed and derived.
	MaxWordBytes = 250
	// MaxOneTypo and MaxTwoTypos bound the words found by typo tolerance.
	MaxOneTypo, MaxTwoTypos = 150, 50
	// MaxCachedPrefix is the longest prefix, in bytes, that may be cached.
	MaxCachedPrefix = 4

	maxSynonyms     = 50
	maxSynonymWords = 100
)

// Limits that tests lower.
var (
	// MaxExtensions bounds the words that a prefix stands for.
	MaxExtensions = 1000
	// MaxInfix bounds the words that have a word of the query inside.
	MaxInfix = 100
	// MinCachedWords is the least number of dictionary words with a cached prefix.
	MinCachedWords = 100
)

// Term is one unit of a keyword query: a word, a quoted phrase or an n-gram of neighbouring
// words. The parser fills in what follows from the text, the vocabulary step what follows
// from the index. After that a Term is pinned: it is sent to every shard and not expanded
// again (spec ranking 11.1). Immutable once pinned.
type Term struct {
	// Text is the normalised word, or the words of the n-gram without separator.
	// Empty for phrases.
	Text string `msgpack:"t"`
	// First and Last are the query positions covered, FirstID and LastID the term
	// ids (an n-gram has those of its parts).
	First   uint16 `msgpack:"f"`
	Last    uint16 `msgpack:"l"`
	FirstID uint8  `msgpack:"fi"`
	LastID  uint8  `msgpack:"li"`
	// Prefix: words that start with Text match too. Budget is the number of allowed typos.
	// Inert: the term is longer than an indexed word can be, and derives nothing.
	Prefix bool  `msgpack:"p"`
	Budget uint8 `msgpack:"b"`
	Inert  bool  `msgpack:"in"`
	// Phrase are the words of a quoted phrase, "" for a dropped stop word; Ngram
	// the words an n-gram joins.
	Phrase []string `msgpack:"ph"`
	Ngram  []string `msgpack:"ng"`
	// Synonyms are phrases (of one word or more) that stand for the term without
	// typo (spec ranking 3.5).
	Synonyms [][]string `msgpack:"s"`

	// Known: Text is a word of the index. Cached: Text is a cached prefix, so that
	// Extensions is not listed. Extensions are the words that strictly extend
	// Text, ascending in byte order, at most MaxExtensions.
	Known      bool     `msgpack:"k"`
	Cached     bool     `msgpack:"c"`
	Extensions []string `msgpack:"e"`
	// One and Two are the words at that many typos, ascending. Split is empty or
	// the two words Text is best split into (spec ranking 3.4).
	One   []string `msgpack:"o"`
	Two   []string `msgpack:"tw"`
	Split []string `msgpack:"sp"`
}

// Size is the number of term ids the term covers: 1, or the size of an n-gram.
func (t *Term) Size() int { return int(t.LastID) - int(t.FirstID) + 1 }

// IsNgram tells whether the term joins several words of the query.
func (t *Term) IsNgram() bool { return t.Ngram != nil }

// IsPhrase tells whether the term was quoted.
func (t *Term) IsPhrase() bool { return t.Phrase != nil }

// Chars is the number of characters of the term's text (for phrases, of its words joined by
// blanks), as highlighting counts them.
func (t *Term) Chars() int { return utf8.RuneCountInString(t.Text) }

// Splittable tells whether the best split of the term is wanted. It is for every word and
// n-gram, whatever the budget.
func (t *Term) Splittable() bool { return t.Phrase == nil && !t.Inert }

// PhraseWords is the number of words of the quoted phrase, without holes.
func (t *Term) PhraseWords() int {
	n := 0
	for _, w := range t.Phrase {
		if w != "" {
			n++
		}
	}
	return n
}

// Subset is the set of derivations that a node of the graph still stands for.
type Subset uint8

// The groups of derivations. ExactForm replaces Zero when only the word or the
// phrase itself is left; Mandatory marks a node that no matching strategy may
// drop.
const (
	Zero Subset = 1 << iota
	ExactForm
	One
	Two
	Mandatory

	// Full is the subset of a fresh query.
	Full = Zero | One | Two
)

// HasExact tells whether the subset contains the term's exact form: the quoted
// phrase, or the word itself if the index has it. N-grams have none.
func (t *Term) HasExact(s Subset) bool {
	if t.IsNgram() || s&(Zero|ExactForm) == 0 {
		return false
	}
	return t.IsPhrase() || t.Known
}

// HasPhrase tells whether the subset contains the quoted phrase.
func (t *Term) HasPhrase(s Subset) bool { return t.IsPhrase() && s&(Zero|ExactForm) != 0 }

// UsesCache tells whether the subset contains the cached prefix. A cached prefix
// survives the reduction to the exact form, because it is the same string.
func (t *Term) UsesCache(s Subset) bool {
	return t.Cached && (s&Zero != 0 || s&ExactForm != 0 && t.Known)
}

// MaxTypos is the highest typo group in the subset (spec ranking 5.4).
func (t *Term) MaxTypos(s Subset) int {
	switch t.Budget {
	case 0:
		if t.IsPhrase() {
			return 0
		}
		return 1
	case 1:
		if s&One != 0 {
			return 1
		}
		return 0
	}
	switch {
	case s&Two != 0:
		return 2
	case s&One != 0:
		return 1
	}
	return 0
}

// TypoGroup restricts the subset to its group of n typos.
func (s Subset) TypoGroup(n int) Subset {
	keep := Zero | ExactForm
	switch n {
	case 1:
		keep = One
	case 2:
		keep = Two
	}
	return s & (keep | Mandatory)
}

// OnlyExact restricts the subset to the exact form of t and makes it mandatory.
func (t *Term) OnlyExact(s Subset) Subset {
	if !t.HasExact(s) {
		return s | Mandatory
	}
	return ExactForm | Mandatory
}

// Phrases calls f for every phrase of the subset: the quoted phrase and the synonyms
// always, the split words together with the one-typo group.
func (t *Term) Phrases(s Subset, f func(words []string)) {
	if t.Phrase != nil {
		f(t.Phrase)
	}
	for _, p := range t.Synonyms {
		f(p)
	}
	if s&One != 0 && len(t.Split) > 0 {
		f(t.Split)
	}
}
