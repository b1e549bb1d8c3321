package facet

import (
	"context"

	"shoal/shard/docset"
	"shoal/wire"
)

// search returns the values of a facet search from a column.
func (c *Columns) search(ctx context.Context, ix Index, kept *column, candidates docset.Set, step *wire.FacetSearchStep) (found []wire.FacetFound, err error) {
	counter := formCounter{ix: ix, column: kept, field: step.Field, candidates: candidates, left: candidates.Len() / lookUpShare}
	// take adds a value if a candidate has it. It returns false once there are enough.
	take := func(search string, number int) bool {
		var n int
		if n, err = counter.count(number); err == nil && n > 0 {
			found = append(found, wire.FacetFound{Search: search, Form: kept.forms[number], Count: uint64(n)})
		}
		return err == nil && (step.ByCount || len(found) < step.Max)
	}
	if step.Match == wire.FacetAny {
		for number, form := range kept.forms {
			if !take(form, number) {
				break
			}
		}
		return found, err
	}
	names, err := c.namesOf(ctx, step.Field, kept, step.Locales)
	if err != nil {
		return nil, err
	}
	for _, one := range names.matching(step) {
		if !take(one.search, int(one.form)) {
			break
		}
	}
	return found, err
}

// lookUpShare: counting so many documents in a column takes as long as reading the
// documents of one value.
const lookUpShare = 1024

// formCounter counts the candidates with a string: the first ones by the documents of
// the string, and all at once if that is not enough.
type formCounter struct {
	ix         Index
	column     *column
	field      uint16
	candidates docset.Set
	left       int
	counts     []uint32
}

func (c *formCounter) count(number int) (int, error) {
	if c.counts == nil {
		if c.left--; c.left >= 0 {
			docs, err := c.ix.String(c.field, c.column.forms[number])
			return docs.AndLen(c.candidates), err
		}
		counts, _ := c.column.tally(c.candidates)
		c.counts = counts[len(c.column.numbers):]
	}
	return int(c.counts[number]), nil
}
