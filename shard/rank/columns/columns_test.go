package columns_test

import (
	"testing"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/shard/memshard"
	"shoal/shard/rank/columns"
)

// Symptom: a document that moved to another shard has newer columns there. When both
// shards were read as one, the old shard's file was used for it.
func TestADocumentThatMovedHasTheColumnsOfItsNewShard(t *testing.T) {
	defer func(least int) { columns.MinDocs = least }(columns.MinDocs)
	columns.MinDocs = 1
	cache := columns.NewPieceCache(1 << 20)
	file := func(docs map[uint32]string) (*columns.BlockColumns, docset.Container) {
		shard, err := memshard.New(settings.Default(), memindex.Fields(docs), docs)
		if err != nil {
			t.Fatal(err)
		}
		all := shard.Live().Block(0)
		b, err := memshard.BuildBlock(t.Context(), shard, 0, all, cache, false)
		if err != nil {
			t.Fatal(err)
		}
		return b, all
	}
	var none *columns.Columns
	before, both := file(map[uint32]string{0: `{"t":"stays"}`, 1: `{"t":"goes"}`})
	after, moved := file(map[uint32]string{1: `{"t":"has come"}`})
	old, fresh := none.With(before, both, both.AndNot(moved)), none.With(after, moved, moved)
	for _, united := range []*columns.Columns{columns.Unite(old, fresh), columns.Unite(fresh, old)} {
		if united.Of(0) != before || united.Of(1) != after {
			t.Error("a document has the columns of another shard")
		}
		if got := united.Covered().Len(); got != 2 {
			t.Errorf("%d documents are covered, want 2", got)
		}
	}
}

// Columns that a file holds for several shards are read once.
func TestAFileOfTwoShardsIsReadOnce(t *testing.T) {
	defer func(least int) { columns.MinDocs = least }(columns.MinDocs)
	columns.MinDocs = 1
	docs := map[uint32]string{0: `{"t":"one"}`, 1: `{"t":"two"}`}
	shard, err := memshard.New(settings.Default(), memindex.Fields(docs), docs)
	if err != nil {
		t.Fatal(err)
	}
	b, err := memshard.BuildBlock(t.Context(), shard, 0, shard.Live().Block(0), columns.NewPieceCache(1<<20), false)
	if err != nil {
		t.Fatal(err)
	}
	var none *columns.Columns
	left, right := docset.ContainerOf([]uint16{0}), docset.ContainerOf([]uint16{1})
	united := columns.Unite(none.With(b, left, left), none.With(b, right, right))
	if n := len(united.All()); n != 1 || !united.Covered().Equal(shard.Live()) {
		t.Errorf("%d files for %d documents", n, united.Covered().Len())
	}
	if united.Apart(0, []docset.Container{left, right}) {
		t.Error("documents of one file are apart")
	}
}
