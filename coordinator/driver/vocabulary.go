package driver

import (
	"slices"

	"shoal/query"
	"shoal/wire"
	"shoal/wire/span"
)

// pinTerms asks the shards what they know about the words of the query and fixes every list of
// derivations (spec ranking 11.2 step 2).
func (d *drive) pinTerms() error {
	if d.plan.Pinned != nil {
		d.terms = d.plan.Pinned
		return nil
	}
	d.terms = slices.Clone(d.plan.Keywords.Terms)
	step, asked := vocabularyStep(d.terms)
	if len(asked) == 0 {
		return nil
	}
	defer span.Charge(d.ctx, "vocabulary", "")()
	replies, err := d.all(&wire.SearchStep{Vocabulary: step})
	if err != nil {
		return err
	}
	facts := make([]*wire.WordFacts, len(replies))
	splits := make([]*splitChoice, 0, len(asked))
	for k, i := range asked {
		for r, reply := range replies {
			facts[r] = &reply.Vocabulary.Words[k]
		}
		t := &d.terms[i]
		pin(t, facts)
		if c := newSplitChoice(t, facts); c != nil {
			splits = append(splits, c)
		} else if d.plan.ByAttribute {
			t.Split = emptySplit(t)
		}
	}
	if err := d.chooseSplits(splits); err != nil {
		return err
	}
	if err := d.pinInfixes(); err != nil {
		return err
	}
	d.plan.keepWords(step.Words, d.terms, asked, splits)
	return nil
}

// pinInfixes looks for terms that stand for nothing inside words, as the last resort.
func (d *drive) pinInfixes() error {
	if !d.plan.Infix {
		return nil
	}
	step := &wire.VocabularyStep{}
	var asked []*query.Term
	for i := range d.terms {
		t := &d.terms[i]
		whole := len(t.Split) == 0 || d.plan.ByAttribute && slices.Equal(t.Split, emptySplit(t))
		if whole && t.WantsInfix() {
			step.Words = append(step.Words, wire.VocabularyWord{Text: t.Text, Infix: true})
			asked = append(asked, t)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	replies, err := d.all(&wire.SearchStep{Vocabulary: step})
	if err != nil {
		return err
	}
	facts := make([]*wire.WordFacts, len(replies))
	for k, t := range asked {
		for r, reply := range replies {
			facts[r] = &reply.Vocabulary.Words[k]
		}
		if forms := mergeWords(query.MaxInfix, facts, func(f *wire.WordFacts) []string { return f.Infix }); len(forms) > 0 {
			t.SetInfix(forms)
		}
	}
	return nil
}

// infix tells whether a step asks for words by what they have inside.
func infix(s *wire.VocabularyStep) bool { return s != nil && len(s.Words) > 0 && s.Words[0].Infix }

// vocabularyStep asks for the words of all terms. asked are the terms that have one.
func vocabularyStep(terms []query.Term) (step *wire.VocabularyStep, asked []int) {
	step, asked = &wire.VocabularyStep{}, make([]int, 0, len(terms))
	for i := range terms {
		t := &terms[i]
		if !asksWord(t) {
			continue
		}
		step.Words = append(step.Words, wordOf(t))
		asked = append(asked, i)
	}
	return step, asked
}

// asksWord tells whether a term has a word to ask about.
func asksWord(t *query.Term) bool { return !t.IsPhrase() && !t.Inert }

// wordOf returns the question about a term that has a word.
func wordOf(t *query.Term) wire.VocabularyWord {
	return wire.VocabularyWord{Text: t.Text, Prefix: t.Prefix, Budget: t.Budget, Splits: true}
}

// pin fills in what the shards know about a term.
func pin(t *query.Term, facts []*wire.WordFacts) {
	for _, f := range facts {
		t.Known = t.Known || f.Known
	}
	if t.Prefix {
		if t.Cached = cachedPrefix(facts); !t.Cached {
			t.Extensions = mergeWords(query.MaxExtensions, facts, func(f *wire.WordFacts) []string { return f.Extensions })
		}
	}
	if t.Budget > 0 {
		t.One, t.Two = mergeTypos(int(t.Budget), facts)
	}
}

// cachedPrefix tells whether the whole dictionary has enough words with the prefix. Either some
// shard has enough alone, or every shard listed all it has.
func cachedPrefix(facts []*wire.WordFacts) bool {
	for _, f := range facts {
		if f.Cached {
			return true
		}
	}
	if len(facts) == 1 {
		return false
	}
	all := mergeWords(query.MinCachedWords, facts, func(f *wire.WordFacts) []string { return f.Prefixed })
	return len(all) >= query.MinCachedWords
}

// mergeWords returns the first words of the union of ascending lists.
func mergeWords(limit int, facts []*wire.WordFacts, list func(*wire.WordFacts) []string) []string {
	if len(facts) == 1 {
		words := list(facts[0])
		n := min(limit, len(words))
		return words[:n:n] // a caller may keep them for later searches
	}
	var all []string
	for _, f := range facts {
		all = append(all, list(f)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(limit, len(all))]
}

// mergeTypos applies the limits of spec ranking 3.3 to the merged streams of candidates.
func mergeTypos(budget int, facts []*wire.WordFacts) (one, two []string) {
	stream := facts[0].Typos
	if len(facts) > 1 {
		stream = nil
		for _, f := range facts {
			stream = append(stream, f.Typos...)
		}
		slices.SortFunc(stream, func(a, b wire.TypoWord) int {
			switch {
			case a.Word < b.Word:
				return -1
			case a.Word > b.Word:
				return 1
			}
			return 0
		})
		stream = slices.CompactFunc(stream, func(a, b wire.TypoWord) bool { return a.Word == b.Word })
	}
	lists := query.TypoLists{Budget: budget}
	for i := range stream {
		c := &stream[i]
		if lists.Full() {
			break
		}
		switch lists.Take(c.Distance, c.Foreign) {
		case 1:
			one = append(one, c.Word)
		case 2:
			two = append(two, c.Word)
		}
	}
	return one, two
}
