package driver_test

import (
	"context"
	"testing"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/shard/docset"
	"shoal/shard/memshard"
	"shoal/shard/rank"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
	"shoal/wire"
)

// readCounter is an index that counts the records that are read.
type readCounter struct {
	scope.Index
	reads *int
}

func (c readCounter) Tokens() record.TokenReader { return countedReader{c.Index.Tokens(), c.reads} }

type countedReader struct {
	record.TokenReader
	reads *int
}

func (r countedReader) Read(ord uint32) (record.Tokens, bool, error) {
	*r.reads++
	return r.TokenReader.Read(ord)
}

// The records of all documents that have the words of a phrase were read, several times in one
// search, and those of all documents with a synonym.
func TestPhrasesAndSynonymsAreRankedByColumns(t *testing.T) {
	const all, some = 4000, 40
	docs := map[uint32]string{}
	for i := range uint32(all) {
		docs[i] = `{"title":"york sun new","body":"flower"}`
		if i%(all/some) == 1 {
			docs[i] = `{"title":"new york sun","body":"help"}`
		}
	}
	s := settings.Default()
	s.Synonyms = map[string][]string{"cat": {"sun"}, "dog": {"york sun new", "help"}}
	c := newCorpus(t, s, docs, 1)
	f := c.shards[0]
	live := f.Live().Block(0)
	b, err := memshard.BuildBlock(t.Context(), f, 0, live, columns.NewPieceCache(1<<20), false)
	if err != nil {
		t.Fatal(err)
	}
	f.SetColumns(f.Columns().With(b, live, live))
	for _, x := range []struct {
		query string
		found uint64
		most  int // records to read
		on    []string
	}{
		{query: `"sun"`, found: all},
		{query: `"new york"`, found: some},
		{query: `"new york sun"`, found: some},
		{query: `"york sun new" flower`, found: all - some},
		{query: "cat ", found: all},
		{query: "cat flower", found: all},
		{query: "dog flower", found: all},
		{query: `"sun"`, found: all, on: []string{"title"}},
		{query: `"york sun new" sun`, found: all - some, on: []string{"title"}},
		{query: "cat sun", found: all, on: []string{"title"}},
		{query: `"new york"`, on: []string{"body"}},
	} {
		reads := 0
		r := rank.New(readCounter{f, &reads}, func(context.Context, []byte) (docset.Set, error) { return docset.Set{}, nil })
		got, err := driver.Run(t.Context(), []wire.Session{r}, c.plan(x.query, options{query: x.query, limit: 5, restricted: x.on != nil, on: x.on}))
		if err != nil {
			t.Fatal(err)
		}
		if got.Total != x.found || reads > x.most {
			t.Errorf("%s: %d documents found, want %d; %d records read, want %d or fewer", x.query, got.Total, x.found, reads, x.most)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
