package scope

import (
	"cmp"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// RangeColumn lists the documents of the values of a field in the order of the values, so
// that a range of very many values is found without reading the value table. Immutable.
type RangeColumn[V cmp.Ordered] struct {
	// rows are the documents by value. Run i of them begins at starts[i], with the value
	// least[i]. A value is in one run only.
	rows   []uint32
	starts []int
	least  []V
	// changed are documents that changed since. Their values are in late, in order.
	changed docset.Set
	late    []valued[V]
}

// valued is a value of a document.
type valued[V cmp.Ordered] struct {
	value V
	row   uint32
}

// RangeRun is the least number of documents of a run. A range reads the values at its ends
// from the table, at most about those of two runs. It changes no answer; tests lower it.
var RangeRun = 512

// rangeShare: a column is made again once 1/rangeShare of the documents have changed.
const rangeShare = 8

// Valued is a kind of values that ranges are asked of.
type Valued[V cmp.Ordered] struct {
	// Walk visits the values of a field in ascending order, until visit returns false.
	Walk func(fid uint16, visit func(v V, docs docset.Set) bool) error
	// Of lists the values of a document.
	Of func(record.FieldValues) []V
	in func(*Memo) map[uint16]dated[*RangeColumn[V]]
}

// NumbersOf are the numbers of an index.
func NumbersOf(walk func(fid uint16, visit func(v float64, docs docset.Set) bool) error) Valued[float64] {
	return Valued[float64]{walk, func(f record.FieldValues) []float64 { return slices.Collect(f.Numbers()) }, numbersOf}
}

// StringsOf are the facet forms of an index.
func StringsOf(walk func(fid uint16, visit func(v string, docs docset.Set) bool) error) Valued[string] {
	return Valued[string]{walk, func(f record.FieldValues) (forms []string) {
		for form := range f.Strings() {
			forms = append(forms, string(form))
		}
		return forms
	}, stringsOf}
}

// Ranges returns the column of a field, or nil if there is none or it is too old.
func Ranges[V cmp.Ordered](ix Placed, of Valued[V], fid uint16) (*RangeColumn[V], error) {
	memo, schema := ix.Memo(), ix.Schema()
	c, stale, ok := find(memo, schema, of.in, fid)
	if !ok || stale.Empty() {
		return c, nil
	}
	c, err := c.patched(ix, of, fid, stale)
	if err == nil && c != nil {
		keep(memo, schema, of.in, fid, c, c.size())
	}
	return c, err
}

// WalkedRange counts n values that a range read without a column. Once that is worthwhile,
// it makes a column for later ones.
func WalkedRange[V cmp.Ordered](ix Placed, of Valued[V], fid uint16, n int) error {
	memo, schema, live := ix.Memo(), ix.Schema(), ix.Live().Len()
	if n < 2*RangeRun || !memo.fits(4*live) || !memo.worthWalking(schema, n, live) {
		return nil
	}
	c := &RangeColumn[V]{}
	fits := true
	err := of.Walk(fid, func(v V, docs docset.Set) bool {
		if n := len(c.starts); n == 0 || len(c.rows)-c.starts[n-1] >= RangeRun {
			c.starts, c.least = append(c.starts, len(c.rows)), append(c.least, v)
		}
		c.rows = docs.AppendTo(slices.Grow(c.rows, docs.Len()))
		fits = memo.fits(c.size())
		return fits
	})
	if err == nil && fits {
		c.rows = slices.Clip(c.rows)
		keep(memo, schema, of.in, fid, c, c.size())
	}
	return err
}

func (c *RangeColumn[V]) size() int {
	return 4*len(c.rows) + 40*len(c.starts) + 40*len(c.late) + c.changed.MemBytes()
}

// patched returns the column with the values of changed documents as they are now. It
// returns nil if too much has changed.
func (c *RangeColumn[V]) patched(ix Placed, of Valued[V], fid uint16, stale docset.Set) (*RangeColumn[V], error) {
	out := &RangeColumn[V]{rows: c.rows, starts: c.starts, least: c.least, changed: c.changed.Or(stale)}
	if out.changed.Len() > max(RangeRun, len(c.rows)/rangeShare) {
		return nil, nil
	}
	for _, one := range c.late {
		if !stale.Contains(one.row) {
			out.late = append(out.late, one)
		}
	}
	for row := range stale.And(ix.Live()).All() {
		values, ok, err := ix.Values(row)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if f, ok := values.Field(fid); ok {
			for _, v := range of.Of(f) {
				out.late = append(out.late, valued[V]{v, row})
			}
		}
	}
	slices.SortFunc(out.late, func(a, b valued[V]) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.row, b.row)) })
	return out, nil
}

// Whole returns the documents of the values in whole runs between two values, and where
// these begin and end: values from low on, and before high. What lies between from and
// low, and between high and to, must be read from the table. ok is false if no whole run
// lies between them. A to of nil is no limit. The receiver may be nil.
func (c *RangeColumn[V]) Whole(from V, to *V) (docs docset.Set, low, high V, ok bool) {
	if c == nil {
		return docs, low, high, false
	}
	first, _ := slices.BinarySearch(c.least, from)
	last := len(c.least) - 1
	if to != nil {
		at, found := slices.BinarySearch(c.least, *to)
		if last = at; !found {
			last--
		}
	}
	if first >= last {
		return docs, low, high, false
	}
	low, high = c.least[first], c.least[last]
	var sum docset.Accumulator
	sum.AddRows(c.rows[c.starts[first]:c.starts[last]])
	docs = sum.Set()
	if c.changed.Empty() {
		return docs, low, high, true
	}
	var late []uint32
	at, _ := slices.BinarySearchFunc(c.late, low, func(one valued[V], v V) int { return cmp.Compare(one.value, v) })
	for _, one := range c.late[at:] {
		if one.value >= high {
			break
		}
		late = append(late, one.row)
	}
	slices.Sort(late)
	return docs.AndNot(c.changed).Or(docset.FromSorted(late)), low, high, true
}
