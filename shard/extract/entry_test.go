package extract

import (
	"fmt"
	"strings"
	"testing"

	"shoal/api/jsonvalue"
)

// TestAWrongVectorsTextIsQuotedAsTheReferenceDoes: combining marks and NUL are escaped.
func TestAWrongVectorsTextIsQuotedAsTheReferenceDoes(t *testing.T) {
	for in, want := range map[string]string{`"e\u0301"`: `string "e\u{301}"`, `"\u0000"`: `string "\0"`, `"a"`: `string "a"`} {
		v, err := jsonvalue.Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := serdeKind(&v); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// The last entry of an embedder counts, in its own text.
func TestTheLastEntryOfAnEmbedderCounts(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":false,"a":{"regenerate":true}}`:                         "1 true",
		`{"a":{"regenerate":true},"b":null,"a":{"regenerate":false}}`: "2 false",
		`{"a":null,"a":{"embeddings":[1],"regenerate":true}}`:         "1 true",
		`{"a":{"embeddings":[1],"regenerate":4,"regenerate":true}}`:   "Could not parse `._vectors.a`: trailing comma at line 1 column 33",
		`{"a":true,"a":{"x":1}}`:                                      "Could not parse `._vectors.a`: trailing characters at line 1 column 5",
		`{"a":"1","b":1,"a":{"regenerate" :4}}`:                       "Could not parse `._vectors.a.regenerate`: invalid type: integer `4`, expected a boolean at line 1 column 16",
	} {
		entries, err := readEntries([]byte(in), "1")
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "Bad embedder configuration in the document with id: `1`. ")
		} else {
			got = fmt.Sprint(len(entries), entries[0].regenerate)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
