package facet

import (
	"shoal/shard/docset"
	"shoal/wire"
)

// Thresholds. They are variables so that tests can reach both branches.
var (
	// firstBudget is the number of values, for each that is wanted, after which countFirst
	// gives up.
	firstBudget = 8
	// firstVisits is the number of steps of a column that take longer than countFirst, which
	// reads some hundred sets.
	firstVisits = 1 << 18
)

// countFirst counts the values that come first in value order, and reads few others. ok is
// false if the order differs, if too few candidates have one of the first values, or if the
// facet has numbers and strings: then the cut depends on all of them (spec ranking 7.1). hasty
// gives up soon if the candidates have few of the values, as a column counts them fast.
func countFirst(ix Index, candidates docset.Set, ask wire.FacetAsk, limit int, hasty bool) (p wire.FacetPart, ok bool, err error) {
	if ask.Order != wire.FacetValue || limit == 0 {
		return p, false, nil
	}
	c := tableCount{candidates: candidates, budget: firstBudget * limit}
	if hasty {
		c.budget, c.gain = limit, firstBudget
	}
	if err := c.numbers(ix, ask, limit, &p); err != nil || c.budget < 0 {
		return p, false, err
	}
	if p.HasNumbers {
		if ok = len(p.Numbers) == limit; ok {
			ok, err = c.last(ix, ask, &p)
		}
		return p, ok, err
	}
	if err := c.strings(ix, ask, limit, &p); err != nil || c.budget < 0 || len(p.Strings) < limit {
		return p, false, err
	}
	return p, true, labelTop(ix, candidates, ask, limit, &p)
}

// last finds the greatest number. It returns false if the facet has strings as well.
func (c *tableCount) last(ix Index, ask wire.FacetAsk, p *wire.FacetPart) (bool, error) {
	mixed := false
	err := ix.Strings(ask.Field, false, func(string, docset.Set) bool {
		mixed = true
		return false
	})
	if err != nil || mixed {
		return false, err
	}
	found := false
	err = ix.Numbers(ask.Field, true, func(v float64, docs docset.Set) bool {
		c.budget--
		p.Max, found = v, docs.AndLen(c.candidates) > 0
		return !found && c.budget > 0
	})
	return found, err
}
