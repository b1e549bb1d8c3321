package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// Where whole codes have no room, their upper halves stay in memory. A search then reads few
// lower halves, and finds what it finds with whole codes, even if a file is damaged.
func TestUpperHalvesStayWhereWholeCodesHaveNoRoom(t *testing.T) {
	const n, dimensions = 4 << Shift, 96
	rng := rand.New(rand.NewPCG(8, 9))
	source, all := randomStored(rng, n, dimensions), docset.Range(0, n)
	files := &sheets{}
	open := func(budget int64) (*Table, *Cache) {
		table, cache := NewTable(all), NewCache(budget, time.Now)
		cache.ReadFrom(files)
		files.fill(t, table, source)
		return table, cache
	}
	wide, roomy := open(1 << 40)
	query := NewQuery(AnyStore, randomVector(rng, dimensions))
	want, _ := found(t, wide, roomy, source, query, all, 5)
	half := roomy.Held()
	for i := 0; i < 100 && slices.ContainsFunc(wide.blocks, func(b *Block) bool { return b.rows.Load().isHalved() }); i++ {
		if got, _ := found(t, wide, roomy, source, query, all, 5); !slices.Equal(got[:5], want[:5]) {
			t.Fatalf("while blocks are completed: %v, want %v", got, want)
		}
	}
	whole := roomy.Held()
	if half > whole*7/10 || wide.blocks[0].rows.Load().isHalved() {
		t.Errorf("%d bytes are read first, %d at last", half, whole)
	}

	table, cache := open(whole * 7 / 10)
	check := func(what string) {
		t.Helper()
		if got, _ := found(t, table, cache, source, query, all, 5); !slices.Equal(got[:min(5, len(got))], want[:5]) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
	check("at first")
	for number, b := range table.blocks {
		if rows := b.rows.Load(); rows == nil {
			t.Errorf("block %d is not in memory", number)
		}
	}
	if !table.blocks[0].rows.Load().isHalved() && !table.blocks[3].rows.Load().isHalved() || cache.Held() > cache.budget {
		t.Errorf("%d bytes are held of %d that are allowed, and no block is halved", cache.Held(), cache.budget)
	}
	files.read.Store(0)
	source.visited.Store(0)
	check("from halves")
	if read := files.read.Load(); read == 0 || read > whole/10 {
		t.Errorf("%d bytes are read for the nearest 5, whole codes have %d", read, whole)
	}
	if read := source.visited.Load(); read > 50 {
		t.Errorf("%d stored vectors are read for the nearest 5", read)
	}

	for number, b := range table.blocks {
		if b.rows.Load().isHalved() {
			name := table.File(number)
			clear(files.files[name][len(files.files[name])/2:])
		}
	}
	check("from damaged files")
	lost := false
	for number, b := range table.blocks {
		if table.File(number) != "" {
			continue
		}
		lost = true
		if b.rows.Load() != nil {
			t.Errorf("the rows of block %d outlive their file", number)
		}
		unchanged, remake := table.Unfiled(number, source)
		if rows, err := remake(); unchanged == nil || err != nil || rows.isHalved() {
			t.Errorf("block %d cannot be filed again: %v", number, err)
		}
	}
	if !lost {
		t.Error("no damaged file was noticed")
	}
	check("without the files")
}

// Rows that are halved are continued by the block of the next version as long as their file is there.
func TestHalvedRowsAreContinuedFromTheirFile(t *testing.T) {
	const n = 1 << Shift
	for _, kept := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(8, 9))
		source, all := randomStored(rng, n, 64), docset.Range(0, n)
		files := &sheets{}
		table, cache := NewTable(all), NewCache(1<<30, time.Now)
		cache.ReadFrom(files)
		files.fill(t, table, source)
		query := NewQuery(AnyStore, randomVector(rng, 64))
		found(t, table, cache, source, query, all, 5)
		if rows := table.blocks[0].rows.Load(); rows == nil || !rows.isHalved() {
			t.Fatal("the block is not halved")
		}
		source.put(3, record.Embedding{Name: "a", Dimensions: 64, Values: query.values})
		next := table.Changed(docset.Of(3))
		cache.Retire(table, next)
		if !kept {
			clear(files.files)
		}
		source.visited.Store(0)
		if near, _ := found(t, next, cache, source, query, all, 1); near[0].Row != 3 {
			t.Errorf("the new vector is not the nearest: %v", near)
		}
		if rows := next.blocks[0].rows.Load(); rows == nil || rows.isHalved() {
			t.Error("the rows are not whole")
		}
		if visited := source.visited.Load(); (visited < n/2) != kept {
			t.Errorf("%d stored vectors were read; the file is there: %v", visited, kept)
		}
	}
}
