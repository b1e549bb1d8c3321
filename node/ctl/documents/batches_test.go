package documents

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func all(t *testing.T, f Format, text string, size int) []*Batch {
	t.Helper()
	b, err := New(strings.NewReader(text), f, size, "id", false)
	if err != nil {
		t.Fatal(err)
	}
	var out []*Batch
	for {
		one, err := b.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
}

func TestBatchesAreUploadsByThemselves(t *testing.T) {
	for _, c := range []struct {
		name, format, text string
		size               int
		want               []string
	}{
		{"lines", "ndjson", "{\"id\":1}\n\n {\"id\":2}\r\n{\"id\":3}", 20, []string{"{\"id\":1}\n{\"id\":2}\n", "{\"id\":3}\n"}},
		{"a list", "json", ` [ {"id":1}, {"id":2} , {"id":3} ] `, 9, []string{`[{"id":1}]`, `[{"id":2}]`, `[{"id":3}]`}},
		{"one object", "json", `{"id":1}`, 100, []string{`[{"id":1}]`}},
		{"an empty list", "json", `[]`, 100, nil},
		{"records", "csv", "id,text:string\n1,\"a, \"\"b\"\"\nand c\"\n2,d\n", 30, []string{"id,text:string\n1,\"a, \"\"b\"\"\nand c\"\n", "id,text:string\n2,d\n"}},
		{"larger than a batch", "ndjson", "{\"id\":1,\"text\":\"long enough\"}\n{\"id\":2}\n", 10, []string{"{\"id\":1,\"text\":\"long enough\"}\n", "{\"id\":2}\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			var end int64
			for _, b := range all(t, formats[c.format], c.text, c.size) {
				got = append(got, string(b.Body))
				end += int64(b.Documents)
				if b.End != end {
					t.Errorf("after a batch %d documents are read, it says %d", end, b.End)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestABrokenFileNamesTheDocument(t *testing.T) {
	for name, text := range map[string]string{"json": `[{"id":1},{"id":2`, "csv": "id,a\n1,b\n2,\"c"} {
		b, err := New(strings.NewReader(text), formats[name], 1000, "id", false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = b.Read(); err == nil || !strings.Contains(err.Error(), "document 2") {
			t.Errorf("%s: %v, want an error that names document 2", name, err)
		}
	}
}

func TestATruncatedListIsAnError(t *testing.T) {
	for _, text := range []string{`[`, `[{"id":1}`, `[{"id":1},`, `[{"id":1},{`} {
		b, err := New(strings.NewReader(text), formats["json"], 1000, "", false)
		for err == nil {
			_, err = b.Read()
		}
		if errors.Is(err, io.EOF) {
			t.Errorf("%s: it is taken for a whole file", text)
		}
	}
}

func TestCompressedFilesAreKnownByTheirBytes(t *testing.T) {
	const text = `{"id":1}`
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	fmt.Fprint(g, text)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string]io.Reader{"plain": strings.NewReader(text), "gzip": &gz, "zstd": &zs, "short": strings.NewReader("{}")} {
		r, err := Unpack(packed)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, err := io.ReadAll(r)
		if err != nil || name != "short" && string(b) != text {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

func TestFormatsAreKnownByTheName(t *testing.T) {
	for path, want := range map[string]string{"a.json": "json", "a.NDJSON.gz": "ndjson", "b.jsonl.zst": "ndjson", "c.csv": "csv"} {
		if f, err := FormatOf(path, ""); err != nil || f.Name != want {
			t.Errorf("%s: %s, %v, want %s", path, f.Name, err, want)
		}
	}
	if f, err := FormatOf("-", ""); err == nil {
		t.Errorf("standard input without --format: %s, want an error", f.Name)
	}
}
