package oddity

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shoal/cluster-test/life"
)

const lines = `{"id":1,"title":"The harbour of Kraków","genres":["Noir","Drama"],"year":1950,"thumbnail":null}
{"id":2,"title":"Der Himmel über Berlin","genres":[],"year":1987.5,"_geo":{"lat":1,"lng":2}}
`

// TestAFileOfDocumentsIsReadPlainAndCompressed, and its attributes are known by what they hold.
func TestAFileOfDocumentsIsReadPlainAndCompressed(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(lines)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"a.ndjson": []byte(lines), "a.ndjson.gz": packed.Bytes()} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := ReadCollection(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.documents) != 2 || !slices.Equal(c.prose, []string{"genres", "title"}) || !slices.Equal(c.values, []string{"_geo", "genres", "id", "title", "year"}) {
			t.Errorf("%s: %d documents, texts %q, values %q", name, len(c.documents), c.prose, c.values)
		}
	}
	wrong := filepath.Join(t.TempDir(), "wrong")
	if err := os.WriteFile(wrong, []byte("{\"id\":1}\n[]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCollection(wrong); err == nil || !strings.Contains(err.Error(), "document 1") {
		t.Errorf("a document that is no object: %v", err)
	}
}

// TestTheSameSeedMakesTheSameRequests of real documents, odd ones, and those with keys.
func TestTheSameSeedMakesTheSameRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ndjson")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCollection(path)
	if err != nil {
		t.Fatal(err)
	}
	life := func() (out []string) {
		odd := New(7, "master")
		real := NewReader(odd, c)
		list := real.Found(2)
		for range 1000 {
			list = append(append(list, real.Next()), odd.Next()...)
		}
		for i := range list {
			if raw, ok := list[i].Body.(json.RawMessage); ok && !json.Valid(raw) {
				t.Fatalf("%s is no JSON", &list[i])
			}
			out = append(out, list[i].String())
		}
		return out
	}
	if first := life(); !slices.Equal(first, life()) {
		t.Error("two lives of one seed differ")
	}
}

// TestARequestWithAKeyShowsIt, so that it can be repeated.
func TestARequestWithAKeyShowsIt(t *testing.T) {
	r := life.Request{Method: "GET", Path: "/indexes", Key: "abc"}
	if got := r.String(); got != "GET /indexes with the key abc" {
		t.Error(got)
	}
}
