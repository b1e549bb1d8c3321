package driver

import (
	"slices"
	"unicode/utf8"

	"shoal/query"
	"shoal/wire"
)

// splitChoice finds the best way to split a term into two words: the cut with the most
// documents in which left directly precedes right, the leftmost of equals (spec ranking 3.4).
// Cuts are counted by falling upper bound, until no bound can beat the best count.
type splitChoice struct {
	term *query.Term
	cuts []splitCut
	// best is the winner so far with its count; nil for none.
	best  *splitCut
	count uint64
}

type splitCut struct {
	at    int // bytes
	order int
	bound uint64
}

// newSplitChoice returns nil when no cut can have documents.
func newSplitChoice(t *query.Term, facts []*wire.WordFacts) *splitChoice {
	c := &splitChoice{term: t}
	order := 0
	for at := range t.Text {
		if at == 0 {
			continue
		}
		sum := uint64(0)
		for _, f := range facts {
			if order < len(f.Bounds) {
				sum += uint64(f.Bounds[order])
			}
		}
		if sum > 0 {
			c.cuts = append(c.cuts, splitCut{at, order, sum})
		}
		order++
	}
	if len(c.cuts) == 0 {
		return nil
	}
	slices.SortStableFunc(c.cuts, func(a, b splitCut) int {
		switch {
		case a.bound > b.bound:
			return -1
		case a.bound < b.bound:
			return 1
		}
		return 0
	})
	return c
}

// next returns up to n cuts to count next, none when the winner is known. Each is counted only
// until it beats whatever the others can have.
func (c *splitChoice) next(n int) []wire.Pair {
	var pairs []wire.Pair
	for i := range c.cuts[:min(n, len(c.cuts))] {
		cut := &c.cuts[i]
		if c.best != nil && (cut.bound < c.count || cut.bound == c.count && cut.order > c.best.order) {
			break
		}
		enough := c.count + 1
		if i > 0 {
			enough = max(enough, c.cuts[0].bound+1)
		} else if len(c.cuts) > 1 {
			enough = max(enough, c.cuts[1].bound+1)
		}
		pairs = append(pairs, wire.Pair{Left: c.term.Text[:cut.at], Right: c.term.Text[cut.at:], Enough: uint32(min(enough, 1<<31))})
	}
	return pairs
}

// take records the count of the first cut that next returned.
func (c *splitChoice) take(count uint64) {
	cut := c.cuts[0]
	c.cuts = c.cuts[1:]
	if count > c.count || count > 0 && count == c.count && cut.order < c.best.order {
		c.best, c.count = &cut, count
	}
}

// cutsAtOnce is how many cuts of a term several shards count in one round, because a round
// costs more than a needless count.
const cutsAtOnce = 4

// chooseSplits counts cuts of all terms in rounds.
func (d *drive) chooseSplits(choices []*splitChoice) error {
	width := 1
	if len(d.sessions) > 1 {
		width = cutsAtOnce
	}
	for {
		step := &wire.PairsStep{Restricted: d.plan.Restricted && d.plan.ByAttribute}
		if step.Restricted {
			step.Fields = d.plan.Fields
		}
		var asked []*splitChoice // of each pair
		for _, c := range choices {
			for _, p := range c.next(width) {
				step.Pairs = append(step.Pairs, p)
				asked = append(asked, c)
			}
		}
		if len(asked) == 0 {
			break
		}
		replies, err := d.all(&wire.SearchStep{Pairs: step})
		if err != nil {
			return err
		}
		for i, c := range asked {
			sum := uint64(0)
			for _, r := range replies {
				sum += uint64(r.Pairs.Counts[i])
			}
			c.take(sum)
		}
	}
	for _, c := range choices {
		if c.best == nil {
			if d.plan.ByAttribute {
				c.term.Split = emptySplit(c.term)
			}
			continue
		}
		c.term.Split = notNgram(c.split(), c.term)
	}
	return nil
}

// split returns the two words of the winner, nil for none.
func (c *splitChoice) split() []string {
	if c.best == nil {
		return nil
	}
	return []string{c.term.Text[:c.best.at], c.term.Text[c.best.at:]}
}

// notNgram returns the split of a term, nil if the term joins just these words.
func notNgram(split []string, t *query.Term) []string {
	if slices.Equal(split, t.Ngram) {
		return nil
	}
	return split
}

// emptySplit returns the split of a term whose cuts are in no document, nil for a term of one
// character. With byAttribute every pair of words is known, even one in no document, so the
// first cut wins.
func emptySplit(t *query.Term) []string {
	_, first := utf8.DecodeRuneInString(t.Text)
	if !t.Splittable() || first == len(t.Text) {
		return nil
	}
	if split := []string{t.Text[:first], t.Text[first:]}; !slices.Equal(split, t.Ngram) {
		return split
	}
	return nil
}
