package columns_test

import (
	"testing"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/shard/memshard"
	"shoal/shard/rank/columns"
)

// The columns of shards read as one are those of each shard, from its first block on.
func TestJoinedColumnsAreThoseOfEachShard(t *testing.T) {
	defer func(least int) { columns.MinDocs = least }(columns.MinDocs)
	columns.MinDocs = 1
	cache := columns.NewPieceCache(1 << 20)
	shard := func(docs map[uint32]string) (*columns.Columns, *columns.BlockColumns) {
		shard, err := memshard.New(settings.Default(), memindex.Fields(docs), docs)
		if err != nil {
			t.Fatal(err)
		}
		all := shard.Live().Block(0)
		b, err := memshard.BuildBlock(t.Context(), shard, 0, all, cache, false)
		if err != nil {
			t.Fatal(err)
		}
		var none *columns.Columns
		return none.With(b, all, all), b
	}
	left, first := shard(map[uint32]string{0: `{"t":"one"}`, 1: `{"t":"two"}`})
	right, second := shard(map[uint32]string{1: `{"t":"three"}`})
	joined := columns.Joined([]*columns.Columns{left, nil, right}, []uint16{0, 2, 5})
	if joined.Of(1) != first || joined.Of(5<<16|1) != second || joined.Of(2<<16) != nil {
		t.Error("a document has the columns of another shard")
	}
	if got, want := joined.Covered(), docset.Of(0, 1, 5<<16|1); !got.Equal(want) {
		t.Errorf("%v are covered, want %v", got.AppendTo(nil), want.AppendTo(nil))
	}
	if columns.Joined([]*columns.Columns{nil, nil}, []uint16{0, 1}) != nil {
		t.Error("there are columns of shards without any")
	}
}

// A shard that numbers its documents without gaps learns from the ordinals that it is one
// of several. A word then needs fewer documents for a column.
func TestAShardAmongSeveralHasColumnsOfRarerWords(t *testing.T) {
	docs := map[uint32]string{}
	for i := range uint32(100) {
		docs[i] = `{"t":"frequent"}`
		if i%10 == 0 { // ten documents
			docs[i] = `{"t":"frequent rare"}`
		}
	}
	for _, shards := range []uint32{1, 4} {
		byRow, order := memindex.ByRow(docs, []uint32{0}, func(row uint32) uint32 { return row })
		if shards > 1 {
			apart := map[uint32]string{}
			for i, doc := range docs {
				apart[i*shards] = doc
			}
			byRow, order = memindex.ByRow(apart, []uint32{0}, func(ordinal uint32) uint32 { return ordinal / shards })
		}
		shard, err := memshard.New(settings.Default(), memindex.Fields(byRow), byRow)
		if err != nil {
			t.Fatal(err)
		}
		shard.SetOrder(order)
		b, err := memshard.BuildBlock(t.Context(), shard, 0, shard.Live().Block(0), columns.NewPieceCache(1<<20), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, found := b.Find("rare"); found != (shards > 1) {
			t.Errorf("one of %d shards: ten documents are enough for a column: %t", shards, found)
		}
	}
}
