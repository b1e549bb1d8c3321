package driver

import (
	"context"
	"strings"
	"unicode/utf8"

	"shoal/query"
	"shoal/wire"
)

const (
	// cutsAhead bounds the cuts of a word for which a source on another node counts documents
	// unasked. The driver asks for cutsAtOnce of them.
	cutsAhead = 2 * cutsAtOnce
	// cutMargin is the factor by which a source counts further than it would have to if it were
	// alone, because the driver compares sums over all sources.
	cutMargin = 4
)

// countCuts adds the document counts of cuts to a source's report about words. It counts the
// cuts that the driver would ask for if the source were alone.
func countCuts(ctx context.Context, session wire.Session, step *wire.VocabularyStep, reply *wire.VocabularyReply) error {
	ask := &wire.PairsStep{}
	var counts []wire.CutCount
	for i := range step.Words {
		w := &step.Words[i]
		if !w.Splits {
			continue
		}
		choice := newSplitChoice(&query.Term{Text: w.Text}, []*wire.WordFacts{&reply.Words[i]})
		if choice == nil {
			continue
		}
		for _, p := range choice.next(min(step.Ahead, cutsAhead)) {
			p.Enough = min(p.Enough, 1<<28) * cutMargin
			ask.Pairs, counts = append(ask.Pairs, p), append(counts, wire.CutCount{Word: i, At: len(p.Left)})
		}
	}
	if len(counts) == 0 {
		return nil
	}
	answer, err := session.Step(ctx, &wire.SearchStep{Pairs: ask})
	if err != nil {
		return err
	}
	for i := range counts {
		counts[i].Count = answer.Pairs.Counts[i]
		counts[i].All = counts[i].Count < ask.Pairs[i].Enough
	}
	reply.Counts = counts
	return nil
}

// wordReport is what a source told about words and their cuts; told is nil before it did.
type wordReport struct {
	words []wire.VocabularyWord
	told  *wire.VocabularyReply
}

// answer answers a step about words, nil when the report does not suffice.
func (r *wordReport) answer(s *wire.SearchStep) *wire.SearchReply {
	switch {
	case r.told == nil || infix(s.Vocabulary):
		return nil
	case s.Vocabulary != nil:
		return &wire.SearchReply{Vocabulary: r.told}
	case s.Pairs.Restricted:
		return nil
	}
	counts := make([]uint32, len(s.Pairs.Pairs))
	for i := range counts {
		n, ok := r.count(&s.Pairs.Pairs[i])
		if !ok {
			return nil
		}
		counts[i] = n
	}
	return &wire.SearchReply{Pairs: &wire.PairsReply{Counts: counts}}
}

// count returns the number of documents of the source in which the parts of a word are
// adjacent, up to p.Enough.
func (r *wordReport) count(p *wire.Pair) (n uint32, ok bool) {
	for word := range min(len(r.words), len(r.told.Words)) {
		w := &r.words[word]
		left, cut := strings.CutSuffix(w.Text, p.Right)
		if !cut || left != p.Left || !w.Splits {
			continue
		}
		bounds := r.told.Words[word].Bounds
		if order := utf8.RuneCountInString(left) - 1; order >= len(bounds) || bounds[order] == 0 {
			return 0, true
		}
		for i := range r.told.Counts {
			if k := &r.told.Counts[i]; k.Word == word && k.At == len(left) {
				return k.Count, k.All || k.Count >= p.Enough
			}
		}
		return 0, false
	}
	return 0, false
}
