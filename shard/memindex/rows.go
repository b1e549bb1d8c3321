package memindex

import (
	"cmp"
	"maps"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/rows"
)

// ByRow returns documents by row and their order. row returns the row of an ordinal.
// bases are the first rows of the shards that the documents are in, ascending from 0.
func ByRow(docs map[uint32]string, bases []uint32, row func(ordinal uint32) uint32) (map[uint32]string, *rows.Order) {
	byRow := map[uint32]string{}
	pages := make([]map[uint32][]rows.Entry, len(bases))
	live := make([]docset.Builder, len(bases))
	for i := range pages {
		pages[i] = map[uint32][]rows.Entry{}
	}
	for ordinal, doc := range docs {
		at := row(ordinal)
		byRow[at] = doc
		part := len(bases) - 1
		for at < bases[part] {
			part--
		}
		own := at - bases[part]
		live[part].Add(own)
		page := own >> rows.PageShift
		pages[part][page] = append(pages[part][page], rows.Entry{Low: uint16(own & (rows.PageRows - 1)), Ordinal: ordinal})
	}
	parts := make([]rows.Part, len(bases))
	for i, base := range bases {
		numbers := slices.Sorted(maps.Keys(pages[i]))
		var changes [][]rows.Entry
		for _, n := range numbers {
			slices.SortFunc(pages[i][n], func(a, b rows.Entry) int { return cmp.Compare(a.Low, b.Low) })
			changes = append(changes, pages[i][n])
		}
		parts[i] = rows.Part{Base: base, Table: new(rows.Table).With(numbers, changes), Live: live[i].Set()}
	}
	return byRow, rows.NewOrder(parts)
}

// SetOrder sets the order of the documents. Without it the rows are the ordinals.
func (x *Index) SetOrder(o *rows.Order) { x.order = o }

// Order returns the order of the documents.
func (x *Index) Order() *rows.Order { return x.order }
