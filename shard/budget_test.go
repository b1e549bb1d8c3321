package shard

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestTheMemoryLimitIsDividedByUse(t *testing.T) {
	const mib = 1 << 20
	for _, limit := range []int64{0, 128 * mib, 256 * mib, 1024 * mib, 64 << 30} {
		b := Divide(limit)
		sum := b.Blocks + b.Postings + b.Columns + b.Vectors + b.Build + b.Records + int64(b.Results.Ranking+b.Results.Facets+b.Results.Ranges)
		if sum > limit*7/8 {
			t.Errorf("of %d MiB %d are given away", limit/mib, sum/mib)
		}
		for _, held := range []int64{0, b.Vectors / 2, b.Vectors} {
			if given := b.columns(held) - b.Columns + b.postings(held) - b.Postings; held+given > b.Vectors || held == 0 && given < b.Vectors/2 {
				t.Errorf("with %d MiB of vectors %d of %d MiB go to columns and posting lists", held/mib, given/mib, b.Vectors/mib)
			}
		}
		b.fill()
		if b.Blocks == 0 || b.Columns == 0 || b.Records == 0 || b.Results.Ranking == 0 {
			t.Errorf("%d MiB: %+v", limit/mib, b)
		}
	}
}

func TestUsesListsTheMemoryOfShards(t *testing.T) {
	w := newWorld(t, openHost(t, vfs.NewMem(), later))
	defer w.close()
	w.commit(add(t, commonWords(0, 1024, "")...))
	w.makeColumns()
	w.columnsHold() // reads all columns
	uses := map[string]Use{}
	for _, u := range w.host.Uses() {
		uses[u.Name] = u
		if u.Limit > 0 && u.Used > u.Limit {
			t.Errorf("%s: %d of %d bytes", u.Name, u.Used, u.Limit)
		}
	}
	for _, name := range []string{"columns", "column_maps", "documents"} {
		if uses[name].Used == 0 {
			t.Errorf("nothing is used for %s: %v", name, uses)
		}
	}
	f := w.host.Figures()
	if f.Columns.Files != 1 || f.Columns.FileBytes == 0 || f.Columns.Lacking != 0 || f.ColumnReads == 0 {
		t.Errorf("%+v", f.Columns)
	}
}
