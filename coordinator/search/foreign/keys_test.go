package foreign

import (
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/documents"
	"shoal/wire"
)

// newBooks returns Keys, and an index whose foreign key author leads to an index of
// three documents.
func newBooks(t *testing.T) (*Keys, *wire.Index) {
	t.Helper()
	log, shards, books := coordtest.NewForeignLog(t, 3)
	features := func() settings.Features { return settings.Features{ForeignKeys: true} }
	books.Settings = []byte(`{"foreignKeys":[{"foreignIndexUid":"x","fieldName":"author"}]}`)
	return New(log.Catalog, documents.New(log, shards, "a", features), features), books.Clone()
}

func TestHydrationReplacesForeignKeys(t *testing.T) {
	f, books := newBooks(t)
	of := func(int) *wire.Index { return books }
	hits := []api.Hit{
		{Document: []byte(`{"id":7,"author":1,"authors":2}`), Formatted: []byte(`{"author":["2","9","no id!",{"a":true}]}`)},
		{Document: []byte(`{"id":8,"author":[9,"no id!",2],"x":[1]}`)},
		{Document: []byte(`{"id":9,"author":{"a":1,"b":[2,{"c":9}]}}`)},
	}
	if err := f.Hydrate(t.Context(), of, hits); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`{"id":7,"author":{"id":1,"n":1},"authors":2}`,
		`{"id":8,"author":[{},"no id!",2],"x":[1]}`,               // nothing is read behind a value that is no id
		`{"id":9,"author":{"a":{"id":1,"n":1},"b":[2,{"c":{}}]}}`, // read for the other hits
	} {
		if got := string(hits[i].Document); got != want {
			t.Error(got)
		}
	}
	if got := string(hits[0].Formatted); got != `{"author":["2",{},"no id!",{"a":true}]}` {
		t.Error(got)
	}
	books.Settings = []byte(`{"foreignKeys":[{"foreignIndexUid":"gone","fieldName":"author"}]}`)
	books = books.Clone()
	if err := f.Hydrate(t.Context(), of, []api.Hit{{Document: []byte(`{"author":true}`)}}); err != nil {
		t.Errorf("an index is missing of which nothing is read: %v", err)
	}
	if err := f.Hydrate(t.Context(), of, []api.Hit{{Document: []byte(`{"author":3}`)}}); err == nil || err.Error() != "Index `gone` not found." {
		t.Error(err)
	}
	if err := f.HydrateEvery(t.Context(), books, nil); err == nil || err.Error() != "Index `gone` not found." {
		t.Error(err)
	}
	books.Settings = []byte(`{"foreignKeys":[{"foreignIndexUid":"x","fieldName":"author.a"}]}`)
	every := []api.Hit{{Document: []byte(`{"author":[2,{"a":9,"b":1}],"id":1}`)}}
	if err := f.HydrateEvery(t.Context(), books.Clone(), every); err != nil || string(every[0].Document) != `{"author":[{"id":2,"n":2},{"a":{},"b":1}],"id":1}` {
		t.Errorf("%s, %v", every[0].Document, err)
	}
}

func TestForeignDocumentsOfAPageAreBounded(t *testing.T) {
	f, books := newBooks(t)
	of := func(int) *wire.Index { return books }
	const size = len(`{"id":1,"n":1}`)
	for _, c := range []struct {
		document string
		room     int
		fits     bool
	}{
		{`{"author":1}`, overhead + size, true},
		{`{"author":1}`, overhead + size - 1, false},
		{`{"author":[1,1,1,1,1,1,1,1,1,1]}`, 10 * size, true}, // read once, shown often
		{`{"author":[1,1,1,1,1,1,1,1,1,1]}`, 10*size - 1, false},
	} {
		f.bytes = c.room
		hits := []api.Hit{{Document: []byte(c.document)}}
		for name, err := range map[string]error{
			"Hydrate": f.Hydrate(t.Context(), of, hits), "HydrateEvery": f.HydrateEvery(t.Context(), books, []api.Hit{{Document: []byte(c.document)}}),
		} {
			if (err == nil) != c.fits || err != nil && err.Error() != apierr.ForeignDocumentsTooLarge().Error() {
				t.Errorf("%s of %s with %d bytes: %v", name, c.document, c.room, err)
			}
		}
	}
}
