package jsonvalue

import (
	"strings"
	"testing"
)

// texts are what a transcript must write as Parse and AppendJSON do, or refuse.
var texts = []string{
	`{"id":1,"title":"Blade Runner","genres":["a","b"],"n":{"x":1.50,"y":-0,"z":-7}}`,
	`{"a":1,"a":2}`, `{"a":{"b":1,"b" :2}}`, `{"a":{"b":1,"\u0062":2}}`, `{"a" : {"b":1,"b":2}}`,
	`{"a":{"b":1,"b ":2}}`, `{"\u0061":1,"_vectors":{"m":[1]},"c":2}`, `{"_vectors":1}`, `{"_vectors" : "\"a\\" ,"b":"\\\\"}`, `{"_vectors":"\\\"","b":2}`, `{"_vectors":"\\","b":2}`, `{"_vectors":"","b":2}`, `{"x":1,"\u005fvectors":1}`,
	`"caf\u00e9 \/ \"q\" \\ \ud83d\ude00 é 日本語"`, `"\ud83d"`, `"a\tb\n\"c\\\u000a"`, `"\x"`, `"\`, `"a\`, `"a\"`, `"é\n日本語 and more than eight bytes\t."`, "\"\xff\"", "\"a\x01\"", `"0123456789abcdef\n0123456789"`,
	"\"\u007f\u0080 12345 \x80\"", `12345678901234567890`, `1234567890123456789`, `-9223372036854775808`, `0`, `-0`, `00`, `0.0`, `1e3`, `1E400`, `-`, `1.`,
	` [ 1 , [ ] , { } , null , true , false ] `, `[1,]`, `[1 2]`, `{"a":}`, `{"a"}`, `{,}`, `nul`, `truex`, ``, ` `, `{"a":1}x`, `"`, `{"`,
	strings.Repeat("[", 200) + strings.Repeat("]", 200), strings.Repeat("[", 126) + strings.Repeat("]", 126),
	strings.Repeat("[", 127) + strings.Repeat("]", 127), strings.Repeat("[", 128) + strings.Repeat("]", 128),
	strings.Repeat(`{"a":`, 127) + "1" + strings.Repeat("}", 127), strings.Repeat(`{"a":`, 126) + "1" + strings.Repeat("}", 126),
}

// checkTranscript compares a transcript with what parsing gives; it tells whether the
// text was transcribed.
func checkTranscript(t *testing.T, transcript *Transcript, text string) bool {
	t.Helper()
	v, err := Parse([]byte(text))
	got, ok := transcript.Append([]byte("before"), []byte(text))
	if want := "before" + v.JSON(); ok && (err != nil || string(got) != want) {
		t.Errorf("%q: %q, parsed %q, %v", text, got, want, err)
	} else if !ok && string(got) != "before" {
		t.Errorf("%q: refused, and left %q", text, got)
	}
	members, also := transcript.AppendMembers([]byte("before"), []byte(text), func(name []byte) Part {
		if string(name) == "_vectors" {
			return Nothing
		}
		return Everything
	})
	if !also {
		if string(members) != "before" {
			t.Errorf("members of %q: refused, and left %q", text, members)
		}
		return ok
	}
	if err != nil && strings.Contains(text, `"_vectors"`) {
		return ok // what is left out may be invalid
	}
	if err != nil || v.Kind() != KindObject {
		t.Errorf("members of %q, which has none: %q, %v", text, members, err)
		return ok
	}
	if !ok {
		return ok // its names need not differ: Append is the one to tell
	}
	want := []byte("before")
	for i := range v.Members() {
		if m := &v.Members()[i]; m.Name != "_vectors" {
			if len(want) > len("before") {
				want = append(want, ',')
			}
			want = m.Value.AppendJSON(append(AppendString(want, m.Name), ':'))
		}
	}
	if string(members) != string(want) {
		t.Errorf("members of %q: %q, want %q", text, members, want)
	}
	return ok
}

func TestATranscriptEqualsWhatParsingReturns(t *testing.T) {
	var transcript Transcript
	taken := 0
	for _, text := range texts {
		if checkTranscript(t, &transcript, text) {
			taken++
		}
	}
	if taken < 15 {
		t.Errorf("only %d of %d texts were transcribed", taken, len(texts))
	}
}

func TestATranscriptLeavesOutStringsWithQuotes(t *testing.T) {
	text := `{"_vectors" : "\"a\\\" ,\"b\":" , "b":"\\","_vectors" :"\\"}`
	got, ok := new(Transcript).AppendMembers(nil, []byte(text), func(name []byte) Part {
		if string(name) == "_vectors" {
			return Nothing
		}
		return Everything
	})
	if want := `"b":"\\"`; !ok || string(got) != want {
		t.Errorf("%s %v, want %s", got, ok, want)
	}
}

func FuzzTranscript(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkTranscript(t, new(Transcript), text) })
}

// BenchmarkTranscript compares both ways to write a document anew.
func BenchmarkTranscript(b *testing.B) {
	text := []byte(`{"id":287947,"title":"Shazam!","poster":"https://image.tmdb.org/t/p/w1280/xnopI5Xtky18MPhK40cZAGAOVeV.jpg","overview":"A boy is given the ability to become an adult superhero in times of need with a single magic word.","release_date":1553299200,"genres":["Action","Comedy","Fantasy"]}`)
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		var out []byte
		for b.Loop() {
			v, err := Parse(text)
			if err != nil {
				b.Fatal(err)
			}
			out = v.AppendJSON(out[:0])
		}
	})
	b.Run("transcript", func(b *testing.B) {
		b.ReportAllocs()
		var transcript Transcript
		var out []byte
		var ok bool
		for b.Loop() {
			if out, ok = transcript.AppendMembers(out[:0], text, func([]byte) Part { return Everything }); !ok {
				b.Fatal("refused")
			}
		}
	})
}
