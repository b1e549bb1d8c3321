package httpfront

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// FuzzPackedBody: what comes packed is refused in words or becomes a value within the
// limits of a search.
func FuzzPackedBody(f *testing.F) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(`{"q":"a","filter":[["a=1"]]}`)); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(packed.Bytes(), "gzip")
	f.Add([]byte("x\x9cK\x04\x00\x00b\x00b"), "deflate")
	f.Add([]byte("\x0b\x02\x80{}\x03"), "br")
	f.Add([]byte(`{"q":1}`), "identity")
	f.Fuzz(func(t *testing.T, sent []byte, encoding string) {
		v, err := parseSent(sent, encoding, 1<<16)
		var refused *apierr.Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("%q: %v", sent, err)
		}
		if err == nil {
			r := api.NewSearchRequest()
			if err := decodeSearch(v, searchFields, r); err != nil && !errors.As(err, &refused) {
				t.Fatalf("%q: %v", sent, err)
			}
		}
	})
}

// FuzzQueryString: any text of a query string is a filter, a sort and a
// list, or is refused in words.
func FuzzQueryString(f *testing.F) {
	f.Add("q=a&filter=[[\"a=1\"]]&sort=_geoPoint(1,2):asc,b:desc&facets=*")
	f.Add("id=1&embedder=e&limit=%31")
	f.Fuzz(func(t *testing.T, raw string) {
		v := jsonvalue.ParseQuery(raw)
		s := searchQuery{SearchRequest: *api.NewSearchRequest()}
		if err := searchParameters.Decode(decode.QueryRoot(), &v, &s); err != nil && err.Message == "" {
			t.Errorf("%q is refused without a word", raw)
		}
		if err := similarParameters.Decode(decode.QueryRoot(), &v, newSimilarRequest()); err != nil && err.Message == "" {
			t.Errorf("%q is refused without a word", raw)
		}
	})
}
