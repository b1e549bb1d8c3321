package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/shard/record"
	"shoal/text/dictionary"
)

func testPlan(s *settings.Settings, fields []string, dictionaries dictionary.Set) *Plan {
	p, err := NewPlan(s, fields, dictionaries)
	if err != nil {
		panic(err)
	}
	return p
}

// fieldsOf learns the field map of documents as ingest and builders do.
func fieldsOf(t *testing.T, s *settings.Settings, docs ...string) []string {
	t.Helper()
	var fields []string
	for {
		x := testPlan(s, fields, 0).New()
		for _, doc := range docs {
			if _, _, err := x.Store(nil, nil, []byte(doc)); err != nil {
				t.Fatal(err)
			}
			if err := x.Load([]byte(doc)); err != nil {
				t.Fatal(err)
			}
			_, _ = x.Tokens(nil)
			_, _ = x.Values(nil, "1")
		}
		news := x.Unknown()
		if len(news) == 0 {
			return fields
		}
		fields = append(fields, news...)
	}
}

// describe renders a token record as "word field@position ..." by word.
func describe(t *testing.T, fields []string, data []byte) string {
	t.Helper()
	rec, err := record.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	rec.Each(func(w []byte, e record.Entry) bool {
		line := string(w)
		if e.Exact() {
			line += "!"
		}
		for _, o := range e.AppendTo(nil) {
			line += fmt.Sprintf(" %s@%d", fields[o.Field], o.Position)
		}
		out = append(out, line)
		return true
	})
	return strings.Join(out, "\n")
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		name, doc, want string
		change          func(*settings.Settings)
	}{
		{name: "positions in a value", doc: `{"a":"  Hello big world. Bye"}`, want: "big a@1\nbye a@10\nhello a@0\nworld a@2"},
		{name: "top-level array", doc: `{"a":["x","y"]}`, want: "x a@0\ny a@8"},
		{name: "nested array visits its container", doc: `{"o":{"a":["x","y"]}}`, want: "x o.a@8\ny o.a@16"},
		{name: "nested leaf", doc: `{"o":{"a":"x y"}}`, want: "x o.a@0\ny o.a@1"},
		{name: "null is a visit", doc: `{"n":[null,"x"]}`, want: "x n@8"},
		{name: "after a value", doc: `{"a":["x y z","w"]}`, want: "w a@10\nx a@0\ny a@1\nz a@2"},
		{name: "objects in arrays share a field", doc: `{"a":[{"b":"x"},{"b":"y"}]}`, want: "x a.b@0\ny a.b@8"},
		{name: "flat and nested names share a field", doc: `{"a.b":"x","a":{"b":"y"}}`, want: "x a.b@0\ny a.b@8"},
		{name: "empty containers", doc: `{"a":[[],{},"x"],"o":{"e":[],"f":"y"}}`, want: "x a@16\ny o.f@0"},
		{name: "scalars", doc: `{"a":12.5,"b":1e21,"c":10.0,"d":true,"e":false,"f":-0,"g":7}`, want: "0 c@1 f@0 f@1\n10 c@0\n12 a@0\n1e b@0\n21 b@1\n5 a@1\n7 g@0\nfalse e@0\ntrue d@0"},
		{name: "reserved", doc: `{"_geo":{"lat":1,"lng":2},"_geojson":{"type":"x"},"a":"y"}`, want: "y a@0"},
		{name: "duplicates", doc: `{"a":"x","b":{"c":"u","c":"v"},"a":"z"}`, want: "v b.c@0\nz a@0"},
		{name: "searchable", doc: `{"a":"x","b":{"c":"u"},"bc":"v"}`, want: "u b.c@0", change: func(s *settings.Settings) { s.SearchableAttributes = []string{"b"} }},
		{name: "nothing searchable", doc: `{"a":"x"}`, want: "", change: func(s *settings.Settings) { s.SearchableAttributes = []string{} }},
		{name: "stop words", doc: `{"a":"the cat of The dog"}`, want: "cat a@1\ndog a@4\nthe a@3", change: func(s *settings.Settings) { s.StopWords = []string{"of", "the"} }},
		{name: "exact", doc: `{"a":"x 12","b":{"c":"y"}}`, want: "12! a@1\nx a@0\ny! b.c@0", change: func(s *settings.Settings) {
			s.TypoTolerance.DisableOnNumbers = true
			s.TypoTolerance.DisableOnAttributes = []string{"b"}
		}},
		{name: "both", doc: `{"a":"x","b":"x"}`, want: "x! a@0 b@0", change: func(s *settings.Settings) { s.TypoTolerance.DisableOnAttributes = []string{"b"} }},
		{name: "infix forms", doc: `{"a":"sunny sun 4711","b":{"c":"flower"}}`, want: "4711! a@2\nflower! b.c@0\nsun a@1\nsunny a@0\n\xff4711 a@2\n\xffflower b.c@0\n\xffsunny a@0", change: func(s *settings.Settings) {
			s.TypoTolerance.DisableOnNumbers = true
			s.TypoTolerance.DisableOnAttributes, s.TypoTolerance.InfixOnAttributes = []string{"b"}, []string{"a", "b"}
		}},
		{name: "escapes", doc: `{"a":"caf\u00e9 \ud83d\ude00x","\u0062":"y\tz"}`, want: "cafe a@0\ny b@0\nz b@1\n😀x a@1"},
		{name: "separators after a leading control character count", doc: `{"a":["\u0001. x","\u0001 y",". \u0001z"]}`, want: "x a@8\ny a@17\nz a@25"},
		{name: "long words keep their place", doc: `{"a":"x ` + strings.Repeat("w", 251) + ` y"}`, want: "x a@0\ny a@2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := settings.Default()
			if c.change != nil {
				c.change(s)
			}
			fields := fieldsOf(t, s, c.doc)
			x := testPlan(s, fields, 0).New()
			if err := x.Load([]byte(c.doc)); err != nil {
				t.Fatal(err)
			}
			data, err := x.Tokens(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(t, fields, data); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestPositionsEnd(t *testing.T) {
	s := settings.Default()
	doc := `{"a":["` + strings.Repeat("x ", 65530) + `","y z","w"]}`
	fields := fieldsOf(t, s, doc)
	x := testPlan(s, fields, 0).New()
	if err := x.Load([]byte(doc)); err != nil {
		t.Fatal(err)
	}
	data, err := x.Tokens(nil)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	// The second value starts at 65529+8, beyond the last position.
	if !slices.Equal(rec.Strings(), []string{"x"}) || rec.FieldTokens(0) != 65530 {
		t.Fatalf("%v, %d tokens", rec.Strings(), rec.FieldTokens(0))
	}
}

// describeValues renders a value record.
func describeValues(t *testing.T, fields []string, data []byte) string {
	t.Helper()
	v, err := record.ParseValues(data)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	if p, ok := v.Point(); ok {
		out = append(out, fmt.Sprintf("point %v,%v", p.Lat, p.Lng))
	}
	for f := range v.Fields() {
		line := fields[f.Field]
		if f.Flags&record.Null != 0 {
			line += " null"
		}
		if f.Flags&record.Empty != 0 {
			line += " empty"
		}
		for n := range f.Numbers() {
			line += fmt.Sprintf(" %v", n)
		}
		for form, original := range f.Strings() {
			line += fmt.Sprintf(" %s(%s)", form, original)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestValues(t *testing.T) {
	plain := func(names ...string) func(*settings.Settings) {
		return func(s *settings.Settings) {
			for _, n := range names {
				s.Filterable = append(s.Filterable, settings.FilterableRule{Patterns: []string{n}, FacetSearch: true, Equality: true, Comparison: true, Plain: true})
			}
		}
	}
	for _, c := range []struct {
		name, doc, want string
		change          func(*settings.Settings)
	}{
		{"nothing faceted", `{"a":1}`, "", nil},
		{"kinds", `{"a":[1,"Été",true,null,1.0,-2],"b":null,"c":"","d":[],"e":{},"f":"x"}`, "a -2 1 e\u0301te\u0301(Été) true(true)\nb null\nc empty\nd empty\ne empty", plain("a", "b", "c", "d", "e")},
		{"nested", `{"o":{"a":[{"b":null},{"b":"X"}],"c":2}}`, "o\no.a\no.a.b null x(X)\no.c 2", plain("o")},
		{"only below", `{"o":{"a":{"b":1},"c":2}}`, "o.a\no.a.b 1", plain("o.a")},
		{"sortable", `{"o":{"a":1},"p":2}`, "o\no.a 1", func(s *settings.Settings) { s.Sortable = []string{"o"} }},
		{"custom rule and distinct", `{"p":2,"q":"u","q.r":1}`, "p 2\nq u(u)", func(s *settings.Settings) {
			s.RankingRules = append(s.RankingRules, "p:desc")
			q := "q"
			s.DistinctAttribute = &q
		}},
		{"last spelling wins", `{"a":["B","b"]}`, "a b(b)", plain("a")},
		{"geo", `{"_geo":{"lat":"1.5","lng":-2},"a":1}`, "point 1.5,-2\n_geo.lat 1.5\n_geo.lng -2", plain("_geo")},
		{"geo null", `{"_geo":null,"a":1}`, "", plain("_geo")},
		{"geo not of interest", `{"_geo":7,"a":1}`, "a 1", plain("a")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := settings.Default()
			if c.change != nil {
				c.change(s)
			}
			fields := fieldsOf(t, s, c.doc)
			x := testPlan(s, fields, 0).New()
			if err := x.Load([]byte(c.doc)); err != nil {
				t.Fatal(err)
			}
			data, err := x.Values(nil, "1")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(describeValues(t, fields, data), "\n")
			want := strings.Split(c.want, "\n")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), c.want)
			}
		})
	}
}

func TestGeoErrors(t *testing.T) {
	s := settings.Default()
	s.Sortable = []string{"_geo"}
	for doc, want := range map[string]string{
		`{"_geo":3}`:                          "The `_geo` field in the document with the id: `\"7\"` is not an object. Was expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got `3`.",
		`{"_geo":{"lat":1,"lng":2,"x":3}}`:    "The `_geo` field in the document with the id: `\"7\"` contains the following unexpected fields: `{\"x\":3}`.",
		`{"_geo":{"x":3}}`:                    "Could not find latitude nor longitude in the document with the id: `\"7\"`. Was expecting `_geo.lat` and `_geo.lng` fields.",
		`{"_geo":{"lng":3,"x":1}}`:            "Could not find latitude in the document with the id: `\"7\"`. Was expecting a `_geo.lat` field.",
		`{"_geo":{"lat":"inf","lng":"1 "}}`:   "Could not parse latitude nor longitude in the document with the id: `\"7\"`. Was expecting finite numbers but instead got `\"inf\"` and `\"1 \"`.",
		`{"_geo":{"lat":1,"lng":{"a":null}}}`: "Could not parse longitude in the document with the id: `\"7\"`. Was expecting a finite number but instead got `{\"a\":null}`.",
	} {
		x := testPlan(s, []string{"_geo", "_geo.lat", "_geo.lng"}, 0).New()
		if err := x.Load([]byte(doc)); err != nil {
			t.Fatal(err)
		}
		_, err := x.Values(nil, "7")
		var failure *apierr.Error
		if !errors.As(err, &failure) || failure.Message != want || failure.Code != apierr.CodeInvalidDocumentGeoField {
			t.Errorf("%s: %v, want %s", doc, err, want)
		}
	}
}

// TestPatternsReadNoPlaces: a rule with patterns that named _geo or _geojson had them checked.
func TestPatternsReadNoPlaces(t *testing.T) {
	s := settings.Default()
	s.Filterable = []settings.FilterableRule{{Patterns: []string{Geo, GeoJSON, "*"}, FacetSearch: true, Equality: true}}
	x := testPlan(s, []string{Geo, "_geo.lat", "_geo.lng", GeoJSON}, 0).New()
	if err := x.Load([]byte(`{"_geo":3,"_geojson":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Values(nil, "7"); err != nil {
		t.Error(err)
	}
}

func TestShapes(t *testing.T) {
	s := settings.Default()
	s.Filterable = []settings.FilterableRule{{Patterns: []string{GeoJSON}, Plain: true, Equality: true}}
	const (
		shortRing = "invalid ring (not enough coordinate)"
		offMap    = "every coordinate of the exterior must be valid"
	)
	for shape, want := range map[string]string{
		`{"type":"Point","coordinates":[1,2,3]}`:                                               "",
		`{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]]]}}`: "",
		`{"type":"FeatureCollection","features":[]}`:                                           "",
		`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}`:         "",
		`{"type":"MultiPolygon","coordinates":[]}`:                                             "",
		`{"type":"LineString","coordinates":[[400,1]]}`:                                        "",
		`null`:                                 "Expected an owned Object, but got `null`",
		`{}`:                                   "Encountered an unknown 'geometry' object type: `type`",
		`{"type":null}`:                        "Encountered an unknown 'geometry' object type: `type`",
		`{"type":"Point"}`:                     "Expected a GeoJSON property for `coordinates`, but got None",
		`{"type":"Point","coordinates":[1]}`:   "A position must contain two or more elements, but got `1`",
		`{"type":"Point","coordinates":3}`:     "Expected an Array value, but got `None`",
		`{"type":"Thing","coordinates":[1,2]}`: "Expected a Feature, FeatureCollection, or Geometry, but got an empty type",
		`{"type":"Point","coordinates":[1],"bbox":"x"}`:                                                               "Encountered non-array value for a 'bbox' object: `\"x\"`",
		`{"type":"Point","coordinates":[1],"bbox":[null]}`:                                                            "Encountered non-numeric value within 'bbox' array",
		`{"type":"Point","coordinates":[1e999]}`:                                                                      "Error while deserializing JSON: number out of range at line 1 column 36",
		`{"type":"LineString","coordinates":[["a",2]]}`:                                                               "Expected a floating-point value, but got None",
		`{"type":"GeometryCollection","geometries":{}}`:                                                               "Expected an Array value, but got `Object`",
		`{"type":"GeometryCollection","geometries":[1]}`:                                                              "Expected an owned Object, but got `1`",
		`{"type":"GeometryCollection","geometries":[{}]}`:                                                             "Expected a GeoJSON property for `type`, but got None",
		`{"type":"GeometryCollection","geometries":[{"type":3}]}`:                                                     "Expected a String value, but got a `3`",
		`{"type":"GeometryCollection","geometries":[{"type":"Feature"}]}`:                                             "Encountered an unknown 'geometry' object type: `Feature`",
		`{"type":"FeatureCollection","features":3}`:                                                                   "Expected an Array value, but got `Number`",
		`{"type":"FeatureCollection","features":[{"type":"Point"}]}`:                                                  "Expected a Feature mapping, but got a `Point`",
		`{"type":"Feature"}`:                                                                                          "Expected a GeoJSON property for `geometry`, but got None",
		`{"type":"Feature","geometry":3}`:                                                                             "Encountered neither object type nor null type for 'geometry' field on 'feature' object: `3`",
		`{"type":"Feature","geometry":null,"properties":3}`:                                                           "Encountered neither object type nor null type for 'properties' object: `3`",
		`{"type":"Feature","geometry":null,"id":[]}`:                                                                  "Encountered neither number type nor string type for 'id' field on 'feature' object: `[]`",
		`{"type":"Feature","geometry":{"type":"Feature","geometry":null}}`:                                            "Encountered an unknown 'geometry' object type: `Feature`",
		`{"a":1,"type":"Feature","b":2,"geometry":null,"c":3,"bbox":[1],"d":{}}`:                                      "Attempted to a convert a feature without a geometry into a geo_types::Geometry: `{\"type\":\"Feature\",\"geometry\":null,\"properties\":null,\"bbox\":[1.0],\"a\":1,\"d\":{},\"b\":2,\"c\":3}`",
		`{"type":"Polygon","coordinates":[]}`:                                                                         shortRing,
		`{"type":"Polygon","coordinates":[[]]}`:                                                                       shortRing,
		`{"type":"Polygon","coordinates":[[[0,0]]]}`:                                                                  shortRing,
		`{"type":"Polygon","coordinates":[[[0,0],[0.01,0.01]]]}`:                                                      shortRing,
		`{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9]],[[1,1]]]}`:                                              "",
		`{"type":"GeometryCollection","geometries":[{"type":"MultiPolygon","coordinates":[[]]}]}`:                     shortRing,
		`{"type":"Polygon","coordinates":[[[0,0],[0.01,0.01],[0,0.01]]]}`:                                             "",
		`{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,200]]]}`:                                                    offMap,
		`{"type":"Polygon","coordinates":[[[0,0],[9,0],[361,1]]]}`:                                                    offMap,
		`{"type":"Polygon","coordinates":[[[0,0],[9,0],[360,180]]]}`:                                                  "",
		`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Polygon","coordinates":[]}}]}`: shortRing,
		`{"type":"LineString","coordinates":[[1e300,1],[1,1]]}`:                                                       "every coordinate of the line must be valid",
	} {
		x := testPlan(s, []string{GeoJSON}, 0).New()
		if err := x.Load([]byte(`{"_geojson":` + shape + `}`)); err != nil {
			t.Fatal(err)
		}
		data, err := x.Values(nil, "7")
		if err != nil {
			t.Error(err)
		}
		got := ""
		if err := x.CheckShape(); err != nil {
			got = err.Error()
		}
		v, perr := record.ParseValues(data)
		if got != want || perr != nil || !v.HasShape() {
			t.Errorf("%s: %q, want %q", shape, got, want)
		}
	}
}

func TestStore(t *testing.T) {
	fields := []string{"id", "b", "a", "a.c", "_vectors"}
	s := settings.Default()
	s.Embedders = map[string]json.RawMessage{"known": []byte(`{"source":"userProvided","dimensions":1}`)}
	for _, c := range []struct{ old, doc, want, vectors string }{
		{"", `{ "a" : [1, 2] , "id":1.50,"b":{"x" : 1}}`, `{"id":1.50,"b":{"x" : 1},"a":[1, 2]}`, ""},
		{"", `{"a":1,"id":2,"\u0061":3}`, `{"id":2,"a":3}`, ""},
		{"", `{}`, `{}`, ""},
		{`{"id":1,"a":{"c":1}}`, `{"a":null,"a.c":"x","b":"\"}"}`, `{"id":1,"b":"\"}","a":null,"a.c":"x"}`, ""},
		{"", `{"id":1,"_vectors":{"known":[1],"other":[2]}}`, `{"id":1,"_vectors":{"other":[2]}}`, `{"known":[1],"other":[2]}`},
		{"", `{"id":1,"_vectors":{"known":[1]}}`, `{"id":1}`, `{"known":[1]}`},
		{`{"id":1,"_vectors":{"u":[2],"v":[3]}}`, `{"id":1,"_vectors":{"v":null}}`, `{"id":1,"_vectors":{"u":[2],"v":[]}}`, `{"v":null}`},
	} {
		x := testPlan(s, fields, 0).New()
		var old []byte
		if c.old != "" {
			old = []byte(c.old)
		}
		got, vectors, err := x.Store(nil, old, []byte(c.doc))
		if err != nil || string(got) != c.want || string(vectors) != c.vectors {
			t.Errorf("%s + %s: %s %s %v, want %s %s", c.old, c.doc, got, vectors, err, c.want, c.vectors)
		}
	}
	x := testPlan(s, fields, 0).New()
	if _, _, err := x.Store(nil, nil, []byte(`{"new":1,"id":2,"more":{"deep":1}}`)); err != nil || !slices.Equal(x.Unknown(), []string{"new", "more"}) {
		t.Errorf("unknown names: %v", err)
	}
	x = testPlan(s, append(slices.Clone(fields), Geo), 0).New()
	if err := x.Load([]byte(`{"id":2,"_geo":null}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Tokens(nil); err != nil || !slices.Equal(x.Unknown(), []string{"_geo.lat", "_geo.lng"}) {
		t.Errorf("names below _geo: %v", err)
	}
}

func TestNumberOutOfRange(t *testing.T) {
	s := settings.Default()
	x := testPlan(s, []string{"a", "b"}, 0).New()
	if err := x.Load([]byte(`{"b":true,"a":[1E400]}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Tokens(nil); err == nil || err.Error() != "number out of range at line 1 column 6" {
		t.Fatalf("got %v", err)
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"x\u00e9"}],"c":null,"_geo":{"lat":1,"lng":2}}`))
	f.Add([]byte(`{"a":{"a":"\ud800"},"a":"\\"}`))
	s := settings.Default()
	s.Sortable = []string{"a", "_geo"}
	plan := testPlan(s, []string{"a", "a.b", "c", "_geo", "_geo.lat", "_geo.lng", "_vectors"}, 0)
	f.Fuzz(func(t *testing.T, doc []byte) {
		x := plan.New()
		stored, _, err := x.Store(nil, nil, doc)
		if err == nil {
			if again, _, err := x.Store(nil, nil, stored); err != nil || string(again) != string(stored) {
				t.Fatalf("stored form %q changes to %q: %v", stored, again, err)
			}
		}
		if x.Load(doc) != nil {
			return
		}
		_, _ = x.Tokens(nil)
		_, _ = x.Values(nil, "1")
		x.Present(func(uint16) {})
	})
}

func BenchmarkTokens(b *testing.B) {
	doc := []byte(`{"id":17,"title":"The quick brown fox","overview":"` + strings.Repeat("jumps over the lazy dog while others look on, ", 8) + `","genres":["Action","Drama"],"year":1999}`)
	s := settings.Default()
	x := testPlan(s, []string{"id", "title", "overview", "genres", "year"}, 0).New()
	var buf []byte
	b.ReportAllocs()
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if err := x.Load(doc); err != nil {
			b.Fatal(err)
		}
		buf, _ = x.Tokens(buf[:0])
	}
}
