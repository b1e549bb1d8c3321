package payload

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"shoal/api/apierr"
)

// repeated is a text of n bytes that is not held in memory.
type repeated struct {
	head, unit, tail string
	at, n            int
}

func (r *repeated) Read(p []byte) (int, error) {
	size := len(r.head) + r.n*len(r.unit) + len(r.tail)
	if r.at == size {
		return 0, io.EOF
	}
	done := 0
	for done < len(p) && r.at < size {
		var from string
		switch at := r.at - len(r.head); {
		case at < 0:
			from = r.head[r.at:]
		case at < r.n*len(r.unit):
			from = r.unit[at%len(r.unit):]
		default:
			from = r.tail[at-r.n*len(r.unit):]
		}
		n := copy(p[done:], from)
		done, r.at = done+n, r.at+n
	}
	return done, nil
}

// shapes are uploads that grow by repetition. Names that are new each time are made from
// the earlier ones.
var shapes = []struct {
	name   string
	format Format
	head   string
	unit   string
	tail   string
}{
	{"array of empty objects", JSON, "[{}", ",{}", "]"},
	{"members of one name", JSON, `{"a":1`, `,"a":1`, "}"},
	{"items of an array", JSON, `{"a":[1`, ",1", "]}"},
	{"items of an array beside a large number", JSON, `{"b":1e5,"a":[1`, ",1", "]}"},
	{"lines of items", NDJSON, `{"b":1e5,"a":[1`, ",1", "]}"},
	{"array of arrays", JSON, `{"a":[[]`, ",[]", "]}"},
	{"nested members", JSON, `{"a":{"b":1`, `,"b":1`, "}}"},
	{"text", JSON, `{"a":"`, "x", `"}`},
	{"escapes", JSON, `{"a":"`, `\u0041`, `"}`},
	{"white space", JSON, "[", " ", "]"},
	{"digits", JSON, `{"a":1`, "1", "}"},
	{"lines", NDJSON, `{"a":1}`, "\n{}", ""},
	{"lines of members", NDJSON, `{"a":1`, `,"a":1`, "}"},
	{"header", CSV, "a", ",", ""},
	{"header of names", CSV, "a", ",b", ""},
	{"record", CSV, "a\n1", ",", ""},
	{"records", CSV, "a", "\n1", ""},
	{"quotes", CSV, "a\n\"", `""`, `"`},
	{"long name, short records", CSV, strings.Repeat("a", 4000) + ",b", "\n,", ""},
}

// cost reads a shape. Per byte read, it returns the bytes allocated and the most bytes held
// at the end of a document.
func cost(f Format, head, unit, tail string, size int) (allocated float64, made uint64, err error) {
	in := &repeated{head: head, unit: unit, tail: tail, n: size / len(unit)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Read(f, ',', in, func(d *Document) error { made += uint64(len(d.Raw)); return nil })
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(size), made, err
}

// A CSV of 38 KiB, compressed, once took 1.1 GiB: 56 bytes of memory for each of 20 million
// bytes.
func TestTheMemoryForAnUploadIsBounded(t *testing.T) {
	const size, most, mostMade = 4 << 20, 24, 70
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			allocated, made, err := cost(s.format, s.head, s.unit, s.tail, size)
			t.Logf("%.1f bytes allocated for each byte, %.1f of documents, %v", allocated, float64(made)/size, err)
			if allocated > most {
				t.Errorf("%.1f bytes allocated for each byte, at most %d", allocated, most)
			}
			if made > mostMade*size {
				t.Errorf("the documents have %d times the size, at most %d", made/size, mostMade)
			}
		})
	}
}

func TestObjectsOfTooManyMembersAreNotKept(t *testing.T) {
	object := func(n int, name func(int) string) string {
		var b strings.Builder
		b.WriteString(`{"id":1`)
		for i := range n {
			fmt.Fprintf(&b, `,"%s":0`, name(i))
		}
		return b.String() + "}"
	}
	for what, c := range map[string]struct {
		text      string
		members   int
		truncated bool
	}{
		"as many as fit":    {object(MaxMembers-1, itoa), MaxMembers, false},
		"one more":          {object(MaxMembers, itoa), MaxMembers + 1, false},
		"many more":         {object(3*MaxMembers, itoa), MaxMembers + 1, false},
		"one name":          {object(3*MaxMembers, func(int) string { return "a" }), 2, false},
		"one name, noted":   {object(maxNoted-1, func(int) string { return "a" }), 2, false},
		"one name too many": {object(maxNoted, func(int) string { return "a" }), 2, true},
	} {
		n, err := ReadJSON(strings.NewReader(c.text), func(d *Document) error {
			if len(d.Members) != c.members || (d.Truncated != nil) != c.truncated {
				t.Errorf("%s: %d members, truncated %v; want %d, %t", what, len(d.Members), d.Truncated, c.members, c.truncated)
			}
			for _, m := range d.Members[1:] {
				if string(m.Value) != "0" {
					t.Errorf("%s: %s is %q", what, m.Name, m.Value)
				}
			}
			return nil
		})
		if n != 1 || err != nil {
			t.Errorf("%s: %d documents, %v", what, n, err)
		}
	}
	// The next document costs no more than it would alone.
	docs, err := collect(t, NDJSON, object(maxNoted, func(int) string { return "a" })+"\n"+`{"b":2}`)
	if err != nil || len(docs) != 2 || docs[1] != `{"b":2}` {
		t.Errorf("%v, %.100q", err, docs)
	}
}

func TestTheColumnsOfACSVHeaderAreBounded(t *testing.T) {
	columns := func(n int) string { return strings.Repeat(",", n-1) }
	docs, err := collect(t, CSV, columns(MaxMembers)+"\n"+columns(MaxMembers)+"\n")
	if err != nil || len(docs) != 1 {
		t.Errorf("%d columns: %d documents, %v", MaxMembers, len(docs), err)
	}
	for text, want := range map[string]string{
		columns(MaxMembers+1) + "\n1\n":     "CSV error: record 0 (line: 1, byte: 0): found record with 65537 fields, but a document cannot contain more than 65,535 fields",
		columns(300_000):                    "CSV error: record 0 (line: 1, byte: 0): found record with 300000 fields, but a document cannot contain more than 65,535 fields",
		"a,b\n1,2\n" + columns(200_000):     "CSV error: record 2 (line: 3, byte: 8): found record with 200000 fields, but the previous record has 2 fields",
		"a,b\n1,2,3\n":                      "CSV error: record 1 (line: 2, byte: 4): found record with 3 fields, but the previous record has 2 fields",
		"a,b\n1\n":                          "CSV error: record 1 (line: 2, byte: 4): found record with 1 fields, but the previous record has 2 fields",
		"a,b\n1," + strings.Repeat("x,", 9): "CSV error: record 1 (line: 2, byte: 4): found record with 11 fields, but the previous record has 2 fields",
	} {
		_, err := Read(CSV, ',', strings.NewReader(text), func(*Document) error { return nil })
		var e *apierr.Error
		if !errors.As(err, &e) || e.Message != "The `csv` payload provided is malformed: `"+want+"`." {
			t.Errorf("%.20q of %d bytes:\n%v, want\n%s", text, len(text), err, want)
		}
	}
}

// A header with one long name would turn an upload of 100 MB into documents of terabytes.
func TestACSVCannotBecomeManyTimesAsLarge(t *testing.T) {
	in := &repeated{head: strings.Repeat("a", 1<<20), unit: "\n1", n: 50_000_000}
	documents := 0
	_, err := Read(CSV, ',', in, func(*Document) error { documents++; return nil })
	var e *apierr.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "with the names of the header the records become more than 64 times as large") || documents > 20 {
		t.Errorf("%d documents of 1 MiB, then %v", documents, err)
	}
	// Names of 40 letters above columns that are mostly empty.
	header := strings.Repeat("a_column_with_a_name_of_thirty_letters,", 300) + "id\n"
	sparse := &repeated{head: header, unit: strings.Repeat(",", 300) + "1\n", n: 20_000}
	if n, err := Read(CSV, ',', sparse, func(*Document) error { return nil }); n != 20_000 || err != nil {
		t.Errorf("sparse records: %d, %v", n, err)
	}
}
