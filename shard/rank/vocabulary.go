package rank

import (
	"context"
	"slices"
	"unicode/utf8"

	"shoal/query"
	"shoal/shard/lexicon"
	"shoal/shard/rank/columns"
	"shoal/wire"
)

// vocabulary answers what the shard knows about words (spec ranking 11.2).
func (s *Ranker) vocabulary(step *wire.VocabularyStep) (*wire.VocabularyReply, error) {
	r := &wire.VocabularyReply{Words: make([]wire.WordFacts, len(step.Words))}
	for i := range step.Words {
		w := step.Words[i]
		facts, ok := s.WordFacts(w)
		if !ok {
			var err error
			if facts, err = s.lookUp(&w); err != nil {
				return nil, err
			}
			s.KeepWordFacts(w, facts)
		}
		r.Words[i] = facts
	}
	return r, nil
}

// lookUp queries the dictionaries about a word. The returned slices have no spare
// capacity, so appending copies them.
func (s *Ranker) lookUp(w *wire.VocabularyWord) (facts wire.WordFacts, err error) {
	words, exact, err := s.Index.Dictionaries()
	if err != nil {
		return facts, err
	}
	if w.Infix {
		facts.Infix = slices.Clip(words.Infix(w.Text, query.MaxInfix))
		return facts, nil
	}
	facts.Known = words.Contains(w.Text) || exact.Contains(w.Text)
	if w.Prefix {
		s.prefixFacts(w, words, exact, &facts)
	}
	if w.Budget > 0 {
		for _, c := range words.Typos(w.Text, int(w.Budget), w.Prefix) {
			facts.Typos = append(facts.Typos, wire.TypoWord{Word: c.Word, Distance: c.Distance, Foreign: !c.SameFirst})
		}
	}
	if w.Splits {
		facts.Bounds = splitBounds(w.Text, words, exact)
	}
	facts.Prefixed, facts.Extensions = slices.Clip(facts.Prefixed), slices.Clip(facts.Extensions)
	facts.Typos = slices.Clip(facts.Typos)
	return facts, nil
}

func (s *Ranker) prefixFacts(w *wire.VocabularyWord, words, exact *lexicon.Dictionary, facts *wire.WordFacts) {
	if len(w.Text) <= query.MaxCachedPrefix {
		if words.CountPrefix(w.Text, query.MinCachedWords) >= query.MinCachedWords {
			facts.Cached = true
			return
		}
		for word := range words.Prefix(w.Text, false) {
			facts.Prefixed = append(facts.Prefixed, word)
		}
	}
	if s.Schema.AnyExact {
		facts.Extensions = lexicon.FirstPrefixed(w.Text, query.MaxExtensions, words, exact)
	} else {
		facts.Extensions = lexicon.FirstPrefixed(w.Text, query.MaxExtensions, words)
	}
}

// splitBounds returns, for each cut of a word, an upper bound on the documents with
// left directly before right. nil means that there are none.
func splitBounds(word string, words, exact *lexicon.Dictionary) []uint32 {
	count := func(w string) uint32 { return words.Count(w) + exact.Count(w) }
	var bounds []uint32
	cut := 0
	for i := range word {
		if i == 0 {
			continue
		}
		if l := count(word[:i]); l > 0 {
			if b := min(l, count(word[i:])); b > 0 {
				if bounds == nil {
					bounds = make([]uint32, utf8.RuneCountInString(word)-1)
				}
				bounds[cut] = b
			}
		}
		cut++
	}
	return bounds
}

// countPairs counts the documents in which two words are direct neighbours.
func (s *Ranker) countPairs(ctx context.Context, step *wire.PairsStep) (*wire.PairsReply, error) {
	r := &wire.PairsReply{Counts: make([]uint32, len(step.Pairs))}
	if step.Restricted {
		return r, s.restrictedPairs(ctx, step, r.Counts)
	}
	for i := range step.Pairs {
		p := &step.Pairs[i]
		key := columns.Pair{Left: p.Left, Right: p.Right}
		known, ok, err := s.PairOf(key)
		if err != nil {
			return nil, err
		}
		if !ok || !known.Complete && known.Count < p.Enough {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if known, err = s.CountPair(key, p.Enough); err != nil {
				return nil, err
			}
			s.KeepPair(key, known)
		}
		r.Counts[i] = known.Count
	}
	return r, nil
}

// restrictedPairs is countPairs in some fields only. Its results do not apply to other
// searches.
func (s *Ranker) restrictedPairs(ctx context.Context, step *wire.PairsStep, counts []uint32) error {
	s.Restrict(step.Fields)
	for i := range step.Pairs {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &step.Pairs[i]
		found, err := s.CountPair(columns.Pair{Left: p.Left, Right: p.Right}, p.Enough)
		if err != nil {
			return err
		}
		counts[i] = found.Count
	}
	return nil
}
