package httpfront

import (
	"bytes"
	"compress/gzip"
	"net/http/httptest"
	"testing"
)

// FuzzPackedBody: a compressed body is searched with, or refused with an error.
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
	s := (&fake{}).front(Config{})
	f.Fuzz(func(t *testing.T, sent []byte, encoding string) {
		r := httptest.NewRequest("POST", "/indexes/movies/search", bytes.NewReader(sent))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Content-Encoding", encoding)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 && (w.Code < 400 || w.Code >= 500 || codeOf(w) == "") {
			t.Errorf("%q as %q: %d %s", sent, encoding, w.Code, w.Body)
		}
	})
}
