package extract

import (
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
