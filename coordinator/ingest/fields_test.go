package ingest

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"shoal/api/payload"
)

// slowNames finds the nested names of a value by decoding all of it.
func slowNames(path string, v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			into[path+"."+k] = true
			slowNames(path+"."+k, item, into)
		}
	case []any:
		for _, item := range v {
			slowNames(path, item, into)
		}
	}
}

// The nested names of any value equal those of the decoded value. Invalid JSON causes no panic.
func FuzzFieldNames(f *testing.F) {
	for _, seed := range []string{`{"a":{"b":[1,{"c":"}]"}]}}`, `[[{"x\u00e9\n":{}}],{"y":null}]`, `{"a":`, `{"\ud83d\ude00":{"\\":1}}`, `{"a":{"b":1},"a":2}`, `[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names := newFieldNames()
		names.add([]payload.Member{{Name: "top", Value: []byte(text)}})
		var v any
		if !utf8.ValidString(text) || json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		want := map[string]bool{}
		slowNames("top", v, want)
		for name := range want {
			if !slices.Contains(names.nested, name) {
				t.Errorf("%q is missing in %q", name, names.nested)
			}
		}
	})
}

// TestAnyPlaceHasTwoCoordinates: only members that _geo had were fields, and any others, too.
func TestAnyPlaceHasTwoCoordinates(t *testing.T) {
	for _, place := range []string{`{"lat":1,"lng":2}`, `{"x":{"y":1}}`, `"nowhere"`, `null`} {
		names := newFieldNames()
		names.add([]payload.Member{{Name: "_geo", Value: []byte(place)}})
		if !slices.Equal(names.top, []string{"_geo"}) || !slices.Equal(names.nested, []string{"_geo.lat", "_geo.lng"}) {
			t.Errorf("%s: fields %q and %q", place, names.top, names.nested)
		}
	}
}
