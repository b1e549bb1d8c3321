package facet

import (
	"cmp"
	"context"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/wire"
)

// ManyValues is the number of values from which the documents that have one of them are
// found in a column. It is a variable so that tests can reach both branches.
var ManyValues = 32

// Distinct returns the first of some rows, in their order, with each list of values in a
// field, and those without values, with their values. A row with the list of an earlier
// one is left out, because it shares a value with that one. ok is false if the facet has
// no column.
func (c *Columns) Distinct(ctx context.Context, ix Index, fid uint16, rows []uint32) (first []uint32, values []wire.DistinctValues, ok bool, err error) {
	kept, err := c.column(ctx, within(ctx, ix), fid, len(rows))
	if kept == nil || err != nil {
		return nil, nil, false, err
	}
	seen := make([]bool, kept.lists())
	for _, row := range rows {
		list, from, to := kept.of(row)
		if list >= 0 {
			if seen[list] {
				continue
			}
			seen[list] = true
		}
		first, values = append(first, row), append(values, kept.values(from, to))
	}
	return first, values, true, nil
}

// Lists tells documents apart by their lists of values in a facet. Safe for concurrent use.
type Lists struct{ of *column }

// Lists returns the lists of a facet, nil if it has no column, or if equal lists of several
// values have no common number. candidates is the number of documents that will be looked up.
func (c *Columns) Lists(ctx context.Context, ix Index, fid uint16, candidates int) (*Lists, error) {
	kept, err := c.column(ctx, within(ctx, ix), fid, candidates)
	if kept == nil || err != nil || kept.list == nil && kept.several {
		return nil, err
	}
	return &Lists{kept}, nil
}

// Len is greater than all numbers of lists.
func (l *Lists) Len() int { return l.of.lists() }

// Several tells whether some document has several values. Different lists may then share one.
func (l *Lists) Several() bool { return l.of.several }

// Of returns the number of the list of a row, -1 if the row has no values.
func (l *Lists) Of(row uint32) int {
	n, _, _ := l.of.of(row)
	return n
}

// Values returns the values of a row.
func (l *Lists) Values(row uint32) wire.DistinctValues {
	_, from, to := l.of.of(row)
	return l.of.values(from, to)
}

// Sharing returns those of some documents that have one of many values in a field. ok is
// false if the facet has no column, or the values are few.
func (c *Columns) Sharing(ctx context.Context, ix Index, fid uint16, values wire.DistinctValues, docs docset.Set) (sharing docset.Set, ok bool, err error) {
	if len(values.Numbers)+len(values.Strings) < ManyValues {
		return docset.Set{}, false, nil
	}
	kept, err := c.column(ctx, within(ctx, ix), fid, docs.Len())
	if kept == nil || err != nil {
		return docset.Set{}, false, err
	}
	wanted := make([]bool, len(kept.numbers)+len(kept.forms))
	for _, v := range values.Numbers {
		if i, found := slices.BinarySearchFunc(kept.numbers, v, compareNumbers); found {
			wanted[i] = true
		}
	}
	for _, form := range values.Strings {
		if i, found := slices.BinarySearch(kept.forms, form); found {
			wanted[len(kept.numbers)+i] = true
		}
	}
	var out docset.Builder
	docs.Each(func(row uint32) bool {
		for _, at, to := kept.of(row); at < to; at++ {
			if wanted[kept.id(at)] {
				out.Add(row)
				break
			}
		}
		return true
	})
	return out.Set(), true, nil
}

// compareNumbers is the order of values in the tables, where -0 is less than 0.
func compareNumbers(a, b float64) int {
	return cmp.Compare(record.OrderedFloat(a), record.OrderedFloat(b))
}

// lists returns the number of lists that of tells apart.
func (c *column) lists() int {
	if c.list != nil {
		return len(c.from)
	}
	return len(c.numbers) + len(c.forms)
}

// of returns the list of a row, and the range of its ids. The list is -1 if there are no
// values, or if such lists have no number.
func (c *column) of(row uint32) (list int, from, to uint32) {
	n := int(row)
	if c.list != nil {
		if n >= len(c.list) {
			return -1, 0, 0
		}
		n = int(c.list[n])
	} else if n+1 >= len(c.from) {
		return -1, 0, 0
	}
	from, to = c.from[n], c.from[n+1]
	switch {
	case from == to:
		return -1, from, to
	case c.list != nil:
		return n, from, to
	case to == from+1:
		return int(c.id(from)), from, to
	}
	return -1, from, to
}

// id returns the number of a value by its place.
func (c *column) id(at uint32) uint32 {
	if c.short != nil {
		return uint32(c.short[at])
	}
	return c.ids[at]
}

// values returns the values of a range of ids.
func (c *column) values(from, to uint32) (v wire.DistinctValues) {
	for ; from < to; from++ {
		if id := int(c.id(from)); id < len(c.numbers) {
			v.Numbers = append(v.Numbers, c.numbers[id])
		} else {
			v.Strings = append(v.Strings, c.forms[id-len(c.numbers)])
		}
	}
	return v
}
