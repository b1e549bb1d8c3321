package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestParseJSON(t *testing.T) {
	deep := strings.Repeat("[", 128) + strings.Repeat("]", 128)
	for _, c := range []struct{ text, shown, err string }{
		{` {"b":1,"a":[true,null,"x"],"b":2} `, `{"b":2,"a":[true,null,"x"]}`, ""},
		{`1.0`, `1.0`, ""},
		{`-0`, `-0.0`, ""},
		{`18446744073709551615`, `18446744073709551615`, ""},
		{`18446744073709551616`, `1.8446744073709552e+19`, ""},
		{`-9223372036854775808`, `-9223372036854775808`, ""},
		{`-9223372036854775809`, `-9.223372036854776e+18`, ""},
		{`1e2`, `100.0`, ""},
		{`1e-7`, `1e-7`, ""},
		{`0.00001`, `0.00001`, ""},
		{`1e16`, `1e+16`, ""},
		{`1e15`, `1000000000000000.0`, ""},
		{`"\u00e9\ud83d\ude00\n\/<"`, `"é😀\n/<"`, ""},
		{deep[1 : len(deep)-1], deep[1 : len(deep)-1], ""},

		{``, "", "EOF while parsing a value at line 1 column 0"},
		{` `, "", "EOF while parsing a value at line 1 column 1"},
		{`nope`, "", "expected ident at line 1 column 2"},
		{`nul`, "", "EOF while parsing a value at line 1 column 3"},
		{`x`, "", "expected value at line 1 column 1"},
		{`{} x`, "", "trailing characters at line 1 column 4"},
		{`{"a":1}}`, "", "trailing characters at line 1 column 8"},
		{`{"a"`, "", "EOF while parsing an object at line 1 column 4"},
		{`{"a":`, "", "EOF while parsing a value at line 1 column 5"},
		{`{"a":1`, "", "EOF while parsing an object at line 1 column 6"},
		{`{"a":1,`, "", "EOF while parsing a value at line 1 column 7"},
		{`{"a":1,}`, "", "trailing comma at line 1 column 8"},
		{`{"a" 1}`, "", "expected `:` at line 1 column 6"},
		{`{"a":1 "b"}`, "", "expected `,` or `}` at line 1 column 8"},
		{`{a:1}`, "", "key must be a string at line 1 column 2"},
		{`[1`, "", "EOF while parsing a list at line 1 column 2"},
		{`[1,`, "", "EOF while parsing a value at line 1 column 3"},
		{`[1,]`, "", "trailing comma at line 1 column 4"},
		{`[1 2]`, "", "expected `,` or `]` at line 1 column 4"},
		{"[\n1,\n  x]", "", "expected value at line 3 column 3"},
		{`"abc`, "", "EOF while parsing a string at line 1 column 4"},
		{"\"a\nb\"", "", "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0"},
		{`"\q"`, "", "invalid escape at line 1 column 3"},
		{`"\u12`, "", "EOF while parsing a string at line 1 column 5"},
		{`"\u12x4"`, "", "invalid escape at line 1 column 7"},
		{`"\ude00"`, "", "lone leading surrogate in hex escape at line 1 column 7"},
		{`"\ud83dx"`, "", "unexpected end of hex escape at line 1 column 8"},
		{`"\ud83d\n"`, "", "unexpected end of hex escape at line 1 column 9"},
		{"\"\xff\"", "", "invalid unicode code point at line 1 column 3"},
		{`-`, "", "EOF while parsing a value at line 1 column 1"},
		{`01`, "", "invalid number at line 1 column 2"},
		{`1.`, "", "EOF while parsing a value at line 1 column 2"},
		{`1.x`, "", "invalid number at line 1 column 3"},
		{`1e`, "", "EOF while parsing a value at line 1 column 2"},
		{`1ex`, "", "invalid number at line 1 column 3"},
		{`1e400`, "", "number out of range at line 1 column 5"},
		{deep, "", "recursion limit exceeded at line 1 column 128"},
	} {
		v, err := Parse([]byte(c.text))
		if c.err != "" {
			var se *SyntaxError
			if !errors.As(err, &se) || err.Error() != c.err {
				t.Errorf("%.40q: %v, want %s", c.text, err, c.err)
			}
			continue
		}
		if err != nil || v.JSON() != c.shown {
			t.Errorf("%.40q: %v %s, want %s", c.text, err, v.JSON(), c.shown)
		}
	}
}

func TestLargeObject(t *testing.T) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 100 {
		b.WriteString(`"k` + strconv.Itoa(i%40) + `":` + strconv.Itoa(i) + `,`)
	}
	v, err := Parse([]byte(strings.TrimSuffix(b.String(), ",") + "}"))
	if err != nil || v.Len() != 40 {
		t.Fatal(err, v.Len())
	}
	for i := range 40 {
		want := uint64(i + 40)
		if i < 20 {
			want += 40
		}
		if m := v.Members()[i]; m.Name != "k"+strconv.Itoa(i) || m.Value.Uint() != want || v.Get(m.Name).Uint() != want {
			t.Errorf("member %d: %s %d", i, m.Name, m.Value.Uint())
		}
	}
}

// Whatever our parser accepts, encoding/json accepts too, with the same meaning. Whatever
// it prints, it reads back. Only the last digits of fractions and of large numbers may
// differ: the reference's parser does not look for the nearest double, so ours does not
// either.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2,3.5e-7,"\u00e9\ud83d\ude00",true,null,{}]}`, `"\ud800"`, `[1e400]`, ` { } `, `01`,
		`700017777021172777000`, `106.97291691523361`, `17976931348623157e292`, `24703282292062327e-340`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		if checked := Check(data); fmt.Sprint(checked) != fmt.Sprint(err) {
			t.Fatalf("%q: Check says %v, Parse %v", data, checked, err)
		}
		if err != nil {
			return
		}
		shown := v.AppendJSON(nil)
		again, err := Parse(shown)
		if err != nil {
			t.Fatalf("%q printed as %q cannot be read back: %v", data, shown, err)
		}
		want := otherParser(t, data)
		for _, text := range [][]byte{shown, again.AppendJSON(nil)} {
			if got := otherParser(t, text); !alike(want, got) {
				t.Fatalf("%q printed as %q means something else: %v %v", data, text, want, got)
			}
		}
	})
}

// otherParser gives what encoding/json reads. It leaves numbers as they are written.
func otherParser(t *testing.T, text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: only we accept it: %v", text, err)
	}
	return v
}

// alike tells whether two JSON values are equal, but for the last digits of doubles.
func alike(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, alike)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, alike)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || alikeDoubles(string(a), string(b)))
	}
	return a == b
}

// alikeDoubles tells whether two numbers are doubles with at most six others between them:
// each reading rounds three times, the digits, the power of ten and their product. Numbers
// that fit 64 bits as integers must be equal.
func alikeDoubles(a, b string) bool {
	if integer(a) || integer(b) {
		return false
	}
	x, y := double(a), double(b)
	for range 6 {
		if x == y {
			return true
		}
		x = math.Nextafter(x, y)
	}
	return x == y
}

func integer(s string) bool {
	_, unsigned := strconv.ParseUint(s, 10, 64)
	n, signed := strconv.ParseInt(s, 10, 64)
	return unsigned == nil || signed == nil && n != 0 // -0 is a double
}

// double gives the nearest double, the largest one for a number beyond them.
func double(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}

func TestCheckFindsWhatParseFinds(t *testing.T) {
	for _, text := range []string{
		``, ` {"a":[1,{"b":null}],"a":"\u0041"} `, `[1,`, `[1,]`, `{"a":1,}`, `{"a" 1}`, `{1:2}`, `1e999`, `[1e999]`, `"\ud800"`, `{"\ud800":1}`,
		`[1] 2`, "[\"\x01\"]", "[\"\xff\"]", `[truE]`, strings.Repeat("[", 127), strings.Repeat("[", 128), `-`, `01`, `{"a":{"b":[]}`,
	} {
		_, want := Parse([]byte(text))
		if got := Check([]byte(text)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%.40q: Check says %v, Parse %v", text, got, want)
		}
	}
}

func TestCheckKeepsNoValues(t *testing.T) {
	text := []byte(`{"a":[1` + strings.Repeat(",1", 1<<20) + `],"b":{"c":1` + strings.Repeat(`,"c":1`, 1<<18) + `}}`)
	allocated := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			if err := Check(text); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if allocated > int64(len(text)) {
		t.Errorf("%d bytes allocated for %d", allocated, len(text))
	}
}
