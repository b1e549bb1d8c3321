package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
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
// it prints, it reads back.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2,3.5e-7,"\u00e9\ud83d\ude00",true,null,{}]}`, `"\ud800"`, `[1e400]`, ` { } `, `01`} {
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
		if err != nil || !bytes.Equal(again.AppendJSON(nil), shown) {
			t.Fatalf("%q printed as %q reads back as %v %s", data, shown, err, again.JSON())
		}
		var a, b any
		if err := json.Unmarshal(data, &a); err != nil {
			t.Fatalf("%q: only we accept it: %v", data, err)
		}
		if err := json.Unmarshal(shown, &b); err != nil || !same(a, b) {
			t.Fatalf("%q printed as %q means something else: %v %v %v", data, shown, err, a, b)
		}
	})
}

func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if bytes.Equal(x, y) {
		return true
	}
	f, okF := a.(float64)
	g, okG := b.(float64)
	return okF && okG && math.Abs(f-g) == 0
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
