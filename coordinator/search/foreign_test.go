package search

import (
	"context"
	"testing"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/documents"
)

func TestHydrationReplacesForeignKeys(t *testing.T) {
	log, shards, books := coordtest.NewForeignLog(t, 3)
	features := func() settings.Features { return settings.Features{ForeignKeys: true} }
	f := NewForeign(log.Catalog, documents.New(log, shards, "a", features), features)
	books.Settings = []byte(`{"foreignKeys":[{"foreignIndexUid":"x","fieldName":"author"}]}`)
	books = books.Clone()
	hits := []api.Hit{{Document: []byte(`{"id":7,"author":1,"authors":2}`), Formatted: []byte(`{"author":["2","9","no id!",{"a":true}]}`)}}
	if err := f.Hydrate(context.Background(), books, hits); err != nil {
		t.Fatal(err)
	}
	if got := string(hits[0].Document); got != `{"id":7,"author":{"id":1,"n":1},"authors":2}` {
		t.Error(got)
	}
	if got := string(hits[0].Formatted); got != `{"author":[{"id":2,"n":2},{},"no id!",{"a":true}]}` {
		t.Error(got)
	}
	books.Settings = []byte(`{"foreignKeys":[{"foreignIndexUid":"gone","fieldName":"author"}]}`)
	if err := f.Hydrate(context.Background(), books.Clone(), hits); err == nil || err.Error() != "When trying to open an hydration index: Index `gone` not found." {
		t.Error(err)
	}
}
