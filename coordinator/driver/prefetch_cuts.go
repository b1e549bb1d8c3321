package driver

import (
	"context"
	"strings"
	"unicode/utf8"

	"shoal/query"
	"shoal/wire"
)

const (
	// cutsAhead is for how many cuts of a word a source of another node counts documents
	// by itself: the driver asks for cutsAtOnce of them.
	cutsAhead = 2 * cutsAtOnce
	// cutMargin is how many times further a source counts than it would have to if it
	// were alone: the driver compares sums over all sources.
	cutMargin = 4
)

// countCuts adds to what a source knows of words how many documents have their cuts, for
// those that it would be asked about if it were alone.
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

// cutCounts is what a source has told of the cuts of words.
type cutCounts struct {
	words []wire.VocabularyWord
	told  *wire.VocabularyReply
}

// answer answers a step from what was told; ok is false when it is not enough.
func (c *cutCounts) answer(step *wire.PairsStep) (reply *wire.PairsReply, ok bool) {
	if c.told == nil || step.Restricted {
		return nil, false
	}
	reply = &wire.PairsReply{Counts: make([]uint32, len(step.Pairs))}
	for i := range step.Pairs {
		if reply.Counts[i], ok = c.count(&step.Pairs[i]); !ok {
			return nil, false
		}
	}
	return reply, true
}

// count returns in how many documents of the source the parts of a word stand one after
// the other, as far as the driver wants to know.
func (c *cutCounts) count(p *wire.Pair) (n uint32, ok bool) {
	for word := range min(len(c.words), len(c.told.Words)) {
		w := &c.words[word]
		left, cut := strings.CutSuffix(w.Text, p.Right)
		if !cut || left != p.Left || !w.Splits {
			continue
		}
		bounds := c.told.Words[word].Bounds
		if order := utf8.RuneCountInString(left) - 1; order >= len(bounds) || bounds[order] == 0 {
			return 0, true
		}
		for i := range c.told.Counts {
			if k := &c.told.Counts[i]; k.Word == word && k.At == len(left) {
				return k.Count, k.All || k.Count >= p.Enough
			}
		}
		return 0, false
	}
	return 0, false
}
