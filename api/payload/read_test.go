package payload

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// collect reads text in one go and byte by byte, and fails when the two differ.
func collect(t *testing.T, f Format, text string) ([]string, error) {
	t.Helper()
	return collectWith(t, f, "", text)
}

// collectWith is collect with a delimiter of CSV, "" for the usual one.
func collectWith(t *testing.T, f Format, delimiter, text string) ([]string, error) {
	t.Helper()
	by := byte(',')
	if delimiter != "" {
		by = delimiter[0]
	}
	read := func(r io.Reader) ([]string, error) {
		var docs []string
		n, err := Read(f, by, r, func(d *Document) error {
			line := string(d.AppendObject(nil))
			if d.Fault != "" {
				line += " fault: " + d.Fault
			}
			docs = append(docs, line)
			return nil
		})
		if err == nil && n != uint64(len(docs)) {
			t.Errorf("%q: %d documents counted, %d seen", text, n, len(docs))
		}
		return docs, err
	}
	whole, err := read(strings.NewReader(text))
	slow, slowErr := read(iotest.OneByteReader(strings.NewReader(text)))
	if strings.Join(whole, "\n") != strings.Join(slow, "\n") || errText(err) != errText(slowErr) {
		t.Errorf("%q: chunking matters: %q %v, %q %v", text, whole, err, slow, slowErr)
	}
	return whole, err
}

func errText(err error) string {
	var e *apierr.Error
	if errors.As(err, &e) {
		return e.Code.Name + ": " + e.Message
	}
	if err != nil {
		return "other: " + err.Error()
	}
	return ""
}

const (
	jsonBad   = "malformed_payload: The `json` payload provided is malformed. `Couldn't serialize document value: "
	ndjsonBad = "malformed_payload: The `ndjson` payload provided is malformed. `Couldn't serialize document value: "
	csvBad    = "malformed_payload: The `csv` payload provided is malformed: `"
)

func TestRead(t *testing.T) {
	deep := strings.Repeat("[", 127) + strings.Repeat("]", 127)
	for _, c := range []struct {
		format Format
		text   string
		docs   string // joined with |
		err    string
	}{
		{JSON, `[{"id":1, "a" : [1, 2]},{"id":2}]`, `{"id":1,"a":[1, 2]}|{"id":2}`, ""},
		{JSON, ` [ ] garbage`, ``, ""},
		{JSON, `{"id":1.10,"x":{"y":null}} `, `{"id":1.10,"x":{"y":null}}`, ""},
		{JSON, `[{"a":1,"b":2,"a":3}]`, `{"a":3,"b":2}`, ""},
		{JSON, `[{"a\u0062":1,"ab":2}]`, `{"ab":2}`, ""},
		{JSON, `[{"a":1E400,"b":"\ud800"}]`, `{"a":1E400,"b":"\ud800"} fault: number out of range at line 1 column 5`, ""},
		{JSON, `[{"b":"\ud83d\ude00"}]`, `{"b":"\ud83d\ude00"}`, ""},
		{JSON, ``, ``, "missing_payload: A json payload is missing."},
		{JSON, ` `, ``, jsonBad + "EOF while parsing a value at line 1 column 1`."},
		{JSON, `null`, ``, jsonBad + "data are neither an object nor a list of objects`."},
		{JSON, `"x" y`, ``, jsonBad + "data are neither an object nor a list of objects`."},
		{JSON, `nul`, ``, jsonBad + "EOF while parsing a value at line 1 column 3`."},
		{JSON, `{"a":1}x`, ``, jsonBad + "trailing characters at line 1 column 8`."},
		{JSON, "{\"a\":1,\n\"b\":}", ``, jsonBad + "expected value at line 2 column 5`."},
		{JSON, `{"a":1E400}`, ``, jsonBad + "number out of range at line 1 column 10`."},
		{JSON, `[{"a":1},]`, `{"a":1}`, jsonBad + "trailing comma at line 1 column 10`."},
		{JSON, `[{"a":1} {"a":2}]`, `{"a":1}`, jsonBad + "expected `,` or `]` at line 1 column 10`."},
		{JSON, "[{\"a\":1},\n{\"a\" 2}]", `{"a":1}`, jsonBad + "expected `:` at line 2 column 6`."},
		{JSON, `[{"a":1`, ``, jsonBad + "EOF while parsing an object at line 1 column 7`."},
		{JSON, `[{"a":"x`, ``, jsonBad + "EOF while parsing a string at line 1 column 8`."},
		{JSON, "[{\"a\":\"\xff\"}]", ``, jsonBad + "invalid unicode code point at line 1 column 10`."},
		{JSON, `[{"\ud800":1}]`, ``, jsonBad + "unexpected end of hex escape at line 1 column 9`."},
		{JSON, `[{"a":` + deep + `}]`, ``, jsonBad + "recursion limit exceeded at line 1 column 133`."},
		{JSON, `[1]`, ``, jsonBad + "invalid type: integer `1`, expected a map at line 1 column 1`."},
		{JSON, `[[]]`, ``, jsonBad + "invalid type: sequence, expected a map at line 1 column 0`."},
		{JSON, `["a"]`, ``, jsonBad + "invalid type: string \"a\", expected a map at line 1 column 3`."},
		{JSON, `[null]`, ``, jsonBad + "invalid type: null, expected a map at line 1 column 4`."},
		{JSON, `[{"a":1},true]`, `{"a":1}`, jsonBad + "invalid type: boolean `true`, expected a map at line 1 column 4`."},
		{JSON, `[1,{"a":1}]`, ``, jsonBad + "trailing characters at line 1 column 4`."},

		{NDJSON, "{\"a\":1}\n\n{\"a\":\n2}{\"a\":3}", `{"a":1}|{"a":2}|{"a":3}`, ""},
		{NDJSON, " \n", ``, ""},
		{NDJSON, "", ``, "missing_payload: A ndjson payload is missing."},
		{NDJSON, "{\"a\":1}\n{\"a\":", `{"a":1}`, ndjsonBad + "EOF while parsing a value at line 2 column 5`."},
		{NDJSON, "{\"a\":1}\n7", `{"a":1}`, ndjsonBad + "invalid type: integer `7`, expected a map at line 1 column 1`."},
		{NDJSON, "{\"a\":1}\n[{\"a\":2}]", `{"a":1}`, ndjsonBad + "invalid type: sequence, expected a map at line 1 column 0`."},
		{NDJSON, "7x", ``, ndjsonBad + "trailing characters at line 1 column 2`."},

		{CSV, "id:number,name,ok:boolean,x:foo\n1,\"a \"\"b\"\"\nc\",true,\n 2.50 ,'d',,z\n", "{\"id\":1,\"name\":\"a \\\"b\\\"\\nc\",\"ok\":true,\"x:foo\":null}|" +
			`{"id":2.5,"name":"'d'","ok":null,"x:foo":"z"}`, ""},
		{CSV, "\xef\xbb\xbfid,id\r\n\r\n1,2\r\n", `{"id":"2"}`, ""},
		{CSV, "id", ``, ""},
		{CSV, "n:number\ninf\n9223372036854775808\n+7\n", `{"n":null}|{"n":9.223372036854775808e+18}|{"n":7}`, ""},
		{CSV, "id,n:number\n1,x\n", ``, csvBad + "Error parsing number \"x\" at line 1: invalid float literal`."},
		{CSV, "id,b:boolean\n1,true\n2,True", `{"id":"1","b":true}`, csvBad + "Error parsing boolean \"True\" at line 2: provided string was not `true` or `false``."},
		{CSV, "a,b\n1,2\n3\n", `{"a":"1","b":"2"}`, csvBad + "CSV error: record 2 (line: 3, byte: 8): found record with 1 fields, but the previous record has 2 fields`."},
		{CSV, "a,b\n1,\xff\n", ``, csvBad + "CSV parse error: record 1 (line 2, field: 1, byte: 4): invalid utf-8: invalid UTF-8 in field 1 near byte index 0`."},
	} {
		docs, err := collect(t, c.format, c.text)
		want := strings.ReplaceAll(c.docs, "9.223372036854775808e+18", "9.223372036854776e+18")
		if got := strings.Join(docs, "|"); got != want || errText(err) != c.err {
			t.Errorf("%v %q:\n got %s, %s\nwant %s, %s", c.format, c.text, got, errText(err), want, c.err)
		}
	}
}

// A broken transfer and malformed content have different errors.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	for _, f := range []Format{JSON, NDJSON, CSV} {
		for _, text := range []string{"", "[{\"a\":1},{", "{\"a", "[\"x"} {
			r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
			if _, err := Read(f, ',', r, func(*Document) error { return nil }); !errors.Is(err, broken) {
				t.Errorf("%v %q: %v", f, text, err)
			}
		}
	}
	stop := errors.New("stop")
	if _, err := ReadJSON(strings.NewReader(`[{},{}]`), func(*Document) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the callback's error is lost: %v", err)
	}
}

// A stream far larger than the buffer keeps positions and content right.
func TestReadLarge(t *testing.T) {
	var b bytes.Buffer
	b.WriteByte('[')
	const n = 20000
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(`{"id":` + strings.Repeat(" ", i%50) + `7,"t":"` + strings.Repeat("x", i%300) + `"}`)
	}
	b.WriteString("?")
	seen := 0
	_, err := ReadJSON(&b, func(d *Document) error {
		if len(d.Members) != 2 || string(d.Members[0].Value) != "7" || len(d.Members[1].Value) != seen%300+2 {
			t.Fatalf("document %d: %s", seen, d.Raw)
		}
		seen++
		return nil
	})
	want := jsonBad + "expected `,` or `]` at line 20000 column 235`."
	last := len(`{"id":7,"t":""}`) + 49 + (n-1)%300 + 1
	want = strings.Replace(want, "235", itoa(last), 1)
	if seen != n || errText(err) != want {
		t.Errorf("%d documents, %s, want %s", seen, errText(err), want)
	}
}

func itoa(n int) string {
	v := jsonvalue.UintValue(uint64(n))
	return v.JSON()
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`[{"a":1,"b":[{},"\u00e9"]}]`, "{\"id\":\"x\"}\n{\"id\":2}", "a,b:number\n\"x\",1\n", `{"a":1e5}`, `["x"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []Format{JSON, NDJSON, CSV} {
			docs, err := collect(t, format, text)
			if err != nil && strings.HasPrefix(errText(err), "other") {
				t.Fatalf("%v %q: %v", format, text, err)
			}
			for _, d := range docs {
				if strings.Contains(d, " fault: ") {
					continue
				}
				if _, err := jsonvalue.Parse([]byte(d)); err != nil {
					t.Fatalf("%v %q: document %q: %v", format, text, d, err)
				}
			}
		}
		// A whole JSON text of one object is accepted exactly when ParseJSON takes it.
		v, err := jsonvalue.Parse([]byte(text))
		docs, readErr := collect(t, JSON, text)
		if object := err == nil && v.Kind() == jsonvalue.KindObject; object != (readErr == nil && len(docs) == 1) && (len(text) == 0 || !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "[")) {
			t.Fatalf("%q: %v, %q %v", text, err, docs, readErr)
		}
	})
}

func TestCSVThatEndsInsideQuotesIsMarkedTruncated(t *testing.T) {
	for text, want := range map[string]bool{
		"id,title\n1,\"abc":            true,
		"id,title\n1,\"abc\"":          false,
		"id,title\n1,\"abc\n2,x\n":     true,
		"id,title\n1,\"a\"\"":          true,
		"id,title\n1,abc\n2,\"\"\n":    false,
		"id,title\n1,\"a\nb\"\n2,c\n":  false,
		"id,title\n1,ab\"c":            false,
		"id,title\r\n1,\"abc\"\r\n2,x": false,
	} {
		var got bool
		if _, err := ReadCSV(strings.NewReader(text), ',', func(d *Document) error {
			got = d.Truncated != nil
			return nil
		}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got != want {
			t.Errorf("%q: truncated %v, want %v", text, got, want)
		}
	}
}

// TestAnArrayIsAcceptedOnlyIfItsStreamEndsWell: reading stopped at the closing bracket. So nobody noticed a
// wrong checksum, a connection that broke there, or a body beyond the limit.
func TestAnArrayIsAcceptedOnlyIfItsStreamEndsWell(t *testing.T) {
	cut := errors.New("cut off")
	for _, rest := range []string{"", " \n", "] {", strings.Repeat("x", 1<<20)} {
		for _, c := range []struct{ end, want error }{{io.EOF, nil}, {cut, cut}} {
			body := io.MultiReader(strings.NewReader(`[{"id":1}]`+rest), iotest.ErrReader(c.end))
			n, err := ReadJSON(body, func(*Document) error { return nil })
			if n != 1 || !errors.Is(err, c.want) {
				t.Errorf("%d bytes and %v: %d documents, %v", len(rest), c.end, n, err)
			}
		}
	}
}
