package filter

import (
	"fmt"
	"strings"
	"testing"

	"shoal/api/apierr"
)

func TestNullInAQueryStringIsNoFilter(t *testing.T) {
	if f, err := ParseRequestFilter(nil); f != nil || err != nil {
		t.Errorf("absent: %v, %v", f, err)
	}
	if _, err := ParseRequestFilter([]byte("null")); err == nil || err.Message != apierr.FilterTextType("String, Array", "null") {
		t.Errorf("null: %v", err)
	}
}

// TestFilterSyntaxErrors walks the table of spec search-api 7.3.
func TestFilterSyntaxErrors(t *testing.T) {
	for _, c := range []struct{ text, message, columns string }{
		{"t", apierr.FilterTextOperation("t"), "1:2"},
		{"t TO 1", apierr.FilterTextOperation("t TO 1"), "1:7"},
		{"t 1 TO", apierr.FilterTextOperation("t 1 TO"), "1:7"},
		{"t IS", apierr.FilterTextOperation("t IS"), "1:5"},
		{"t STARTS  WITH a", apierr.FilterTextOperation("t STARTS  WITH a"), "1:17"},
		{"NOT", apierr.FilterTextOperation(""), "4:4"},
		{"t = 1 AND", apierr.FilterTextOperation(""), "10:10"},
		{"t = 1 AND NOT", apierr.FilterTextOperation(""), "14:14"},
		{"t =", apierr.FilterTextValue("", false), "4:4"},
		{"t CONTAINS", apierr.FilterTextValue("", false), "11:11"},
		{"t STARTS WITH", apierr.FilterTextValue("", false), "14:14"},
		{"t == 1", apierr.FilterTextValue("", false), "4:4"},
		{"t = AND", apierr.FilterTextValue("AND", true), "5:8"},
		{"AND = 1", apierr.FilterTextValue("AND", true), "1:4"},
		{"OR", apierr.FilterTextValue("OR", true), "1:3"},
		{"t CONTAINS AND", apierr.FilterTextValue("AND", true), "12:15"},
		{"t = 🦀 AND c = 1", apierr.FilterTextValue("🦀", false), "5:6"},
		{"t = 'a", apierr.FilterTextDelimiter(`\'a`, "'"), "5:7"},
		{"(t = 1", apierr.FilterTextDelimiter("(t = 1", ")"), "1:7"},
		{`t = '\q'`, apierr.FilterTextMalformed(`\\q`), "6:8"},
		{`t = '\u12'`, apierr.FilterTextIncomplete, "1:11"},
		{"t = 1 t = 2", apierr.FilterTextTrailing("t = 2"), "7:12"},
		{"t EXISTS 1", apierr.FilterTextTrailing(" 1"), "9:11"},
		{"t EXISTS ", apierr.FilterTextTrailing(" "), "9:10"},
		{"t IN", apierr.FilterTextInOpening, "5:5"},
		{"t NOT IN", apierr.FilterTextInOpening, "9:9"},
		{"t IN [", apierr.FilterTextInClosing, "7:7"},
		{"t IN [a b]", apierr.FilterTextInList("b]"), "9:11"},
		{"t IN [AND]", apierr.FilterTextInList("AND]"), "7:11"},
		{"_geoRadius", apierr.FilterTextGeoRadius, "11:11"},
		{"_geoRadius(1,2)", apierr.FilterTextGeoRadiusCount(2), "16:16"},
		{"_geoBoundingBox(1,2)", apierr.FilterTextGeoBox, "17:21"},
		{"_geoBoundingBox([1,2],[3])", apierr.FilterTextGeoPair(1), "24:25"},
		{"_geoPolygon([1,2],[3,4],[5])", apierr.FilterTextGeoPair(1), "26:27"},
		{"_geoPolygon(1)", apierr.FilterTextGeoPolygon, "13:15"},
		{"_geoPolygon([1,2],[3,4])", apierr.FilterTextGeoPolygonCount(2), "22:23"},
		{"_geo = 1", apierr.FilterTextReservedGeo("_geo"), "1:9"},
		{"_geoPoint = 1", apierr.FilterTextReservedGeo("_geoPoint"), "1:14"},
		{"_geoPointX = 1", apierr.FilterTextReservedGeo("_geoPoint"), "1:15"},
		{"t = _geoPoint(1,2)", apierr.FilterTextReservedGeo("_geoPoint"), "5:19"},
		{"_geoDistance < 3", apierr.FilterTextReservedGeo("_geoDistance"), "1:17"},
		{"t = _geoRadius(1,2,3)", apierr.FilterTextMisusedRadius, "5:22"},
		{"t = _geoRadius", apierr.FilterTextMisusedRadius, "5:15"},
		{"_vectors EXIST", apierr.FilterTextVectorOperation, "10:15"},
		{"_vectors.a", apierr.FilterTextVectorLeftover, "11:11"},
		{"_vectors. EXISTS", apierr.FilterTextVectorNoName, "10:11"},
		{"_vectors.'a EXISTS", apierr.FilterTextVectorQuotes, "10:19"},
		{"_vectors.a.b EXISTS", apierr.FilterTextVectorSuffix("b", ""), "12:13"},
		{"_vectors.a.fragment EXISTS", apierr.FilterTextVectorSuffix("fragment", "fragments"), "12:20"},
		{"_vectors.a.userProvided.regenerate EXISTS", apierr.FilterTextVectorTwoKinds("userProvided", "regenerate"), "25:35"},
		{`_vectors.a."userProvided" EXISTS`, apierr.FilterTextVectorUnquoted, "13:25"},
		{"_vectors.a. EXISTS", apierr.FilterTextVectorPoint, "11:12"},
		{"_foreign(t)", apierr.FilterTextForeign(")"), "11:12"},
		{"title = Glass XOR title = Glass", apierr.FilterTextTrailing("XOR title = Glass"), "15:32"},
		{"a = 1 AND\nb ! 2", apierr.FilterTextOperation("b ! 2"), "1:6"},
	} {
		refuses(t, c.text, c.message, c.columns)
	}
}

// refuses expects an error of a filter, at some columns.
func refuses(t *testing.T, text, message, columns string) {
	t.Helper()
	_, err := ParseFilterText(text)
	want := message + "\n" + columns + " " + text
	if err == nil {
		t.Errorf("%q: accepted, want %q", text, want)
	} else if err.Message != want {
		t.Errorf("%q:\n got %q\nwant %q", text, err.Message, want)
	}
}

func TestFilterForeignShowsItsPart(t *testing.T) {
	_, err := ParseFilterText("a = 1 AND _foreign(b)")
	if want := apierr.FilterTextForeign(")") + "\n21:22 _foreign(b)"; err == nil || err.Message != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestFilterCanonical(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`"t = 1"`, `"t" = "1"`},
		{`"t=1"`, `"t" = "1"`},
		{`" t != 'a b' "`, `"t" != "a b"`},
		{`"t IN[a, b,]"`, `"t" IN ["a", "b"]`},
		{`"t IN []"`, `"t" IN []`},
		{`"t NOT  IN [a]"`, `NOT ("t" IN ["a"])`},
		{`"t 1 TO 2"`, `"t" "1" TO "2"`},
		{`"t IS NULL"`, `"t" IS NULL`},
		{`"t IS NOT EMPTY"`, `NOT ("t" IS EMPTY)`},
		{`"t EXISTS AND c = 1"`, `("t" EXISTS) AND ("c" = "1")`},
		{`"t NOT EXISTS"`, `NOT ("t" EXISTS)`},
		{`"t CONTAINS x"`, `"t" CONTAINS "x"`},
		{`"t NOT STARTS WITH x"`, `NOT ("t" STARTS WITH "x")`},
		{`"NOT NOT t < 1"`, `"t" < "1"`},
		{`"NOT t IS NOT NULL"`, `"t" IS NULL`},
		{`"a=1 OR b=2 AND NOT c=3"`, `("a" = "1") OR (("b" = "2") AND (NOT ("c" = "3")))`},
		{`"(a=1)AND(b=2)"`, `("a" = "1") AND ("b" = "2")`},
		{`"a=1AND"`, `"a" = "1AND"`},
		{`["a=1",["b=2","c=3"],[],"  ",["d=4"]]`, `("a" = "1") AND (("b" = "2") OR ("c" = "3")) AND ("d" = "4")`},
		{`["a=1"]`, `"a" = "1"`},
		{`"_vectors EXISTS"`, `_vectors EXISTS`},
		{`"_vectors.e.fragments.\"f.g\" NOT EXISTS"`, `NOT (_vectors."e".fragments."f.g" EXISTS)`},
		{`"_vectors.e.regenerate EXISTS"`, `_vectors."e".regenerate EXISTS`},
		{`"_geoRadius( 1 , 2.50 ,3e2)"`, `_geoRadius(1, 2.50, 3e2)`},
		{`"_geoBoundingBox([1,2],[3 , 4])"`, `_geoBoundingBox([1, 2], [3, 4])`},
		{`"_geoPolygon([1,2],[3,4],[5,6],)"`, `_geoPolygon([1, 2], [3, 4], [5, 6])`},
		{`"_foreign(author, id = a1 AND b = 2)"`, `_foreign("author", ("id" = "a1") AND ("b" = "2"))`},
		{`"'my field' = \"it's \\\"x\\\"\""`, `"my field" = "it's \"x\""`},
		{`"t = '\\u00e9\\x41\\101\\n'"`, `"t" = "éAA\n"`},
		{`"true = null"`, `"true" = "null"`},
		{`"_geoRadiusX = 1"`, `"_geoRadiusX" = "1"`},
	} {
		f, err := ParseFilter([]byte(c.json))
		if err != nil {
			t.Errorf("%s: %v", c.json, err)
			continue
		}
		if got := f.String(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.json, got, c.want)
		}
		again, err := ParseFilterText(f.String())
		if err != nil || again.String() != f.String() {
			t.Errorf("%s: canonical text does not parse to itself: %v, %v", c.json, again, err)
		}
	}
}

func TestFilterOfNothing(t *testing.T) {
	for _, raw := range []string{`null`, ``, `""`, `"  "`, `[]`, `[[]]`, `["",[" "]]`} {
		if f, err := ParseFilter([]byte(raw)); f != nil || err != nil {
			t.Errorf("%s: %v, %v", raw, f, err)
		}
	}
}

func TestFilterTypes(t *testing.T) {
	for _, c := range []struct{ json, message string }{
		{`true`, apierr.FilterTextType("String, Array", "true")},
		{`{"a": 1}`, apierr.FilterTextType("String, Array", `{"a":1}`)},
		{`["t !", 3]`, apierr.FilterTextType("String, [String]", "3")},
		{`[["t !", [1]]]`, apierr.FilterTextType("String", "[1]")},
		{`["t !"]`, apierr.FilterTextOperation("t !") + "\n1:4 t !"},
	} {
		if _, err := ParseFilter([]byte(c.json)); err == nil || err.Message != c.message {
			t.Errorf("%s: got %v, want %q", c.json, err, c.message)
		}
	}
}

func TestFilterDepth(t *testing.T) {
	parens := func(n int) string { return strings.Repeat("(", n) + "t=1" + strings.Repeat(")", n) }
	nots := func(n int) string { return strings.Repeat("NOT ", n) + "t=1" }
	for _, c := range []struct {
		text string
		fine bool
	}{{parens(36), true}, {parens(37), false}, {nots(147), true}, {nots(148), false}, {parens(200000), false}, {nots(200000), false}, {strings.Repeat("t=1 AND ", 20000) + "t=1", true}} {
		_, err := ParseFilterText(c.text)
		if (err == nil) != c.fine {
			t.Errorf("%.40s... (%d bytes): %v", c.text, len(c.text), err)
		}
		if err != nil && !strings.HasPrefix(err.Message, apierr.FilterTextDepth) {
			t.Errorf("%.40s...: %.200s", c.text, err.Message)
		}
	}
}

// FuzzFilter checks that no input panics, that a canonical text is a fixed point,
// and that every error shows a position inside its text.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"a = 1 AND (b IN [x, 'y z'] OR NOT c EXISTS)", `t = '\u{1F600}\x41\7\q'`, "_geoRadius(1,2,3e,4)", "_geoPolygon([1,2],[3,4],[5,6],)",
		"_vectors.'a'.fragments.\"b\" NOT EXISTS", "_foreign(a, b = 1 AND _foreign(c, d = 2))", "a 1 TO 2 OR b NOT CONTAINS 'x'", "t = 'a\\", "(t = 1", "_geoBoundingBox([1,2],[3,4e])", "\u00a0t\u00a0=\u2003é",
		"v.{a = 1 AND 'w x'.{b IN [c,]} OR NOT d EXISTS }", "'v'.{_geo.lat = 1}", "v.{w.{x.{y = '}'}}", "v.{a = 1 AND _vectors EXISTS}", "v..{a 1 TO }",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := ParseFilterText(text)
		if err != nil {
			at := strings.LastIndex(err.Message, "\n")
			var c1, c2 int
			if !strings.Contains(text, "\n") {
				if _, scan := fmt.Sscanf(err.Message[at+1:], "%d:%d ", &c1, &c2); scan != nil || c1 < 1 || c2 < c1 || c2 > len(text)+1 {
					t.Fatalf("%q: bad position in %q", text, err.Message)
				}
			}
			return
		}
		canonical := parsed.String()
		again, err := ParseFilterText(canonical)
		if err != nil {
			if !strings.HasPrefix(err.Message, apierr.FilterTextDepth) {
				t.Fatalf("%q: canonical %q: %v", text, canonical, err)
			}
			return
		}
		if again.String() != canonical {
			t.Fatalf("%q: canonical %q became %q", text, canonical, again.String())
		}
	})
}

// Conditions are counted over the whole tree, from one.
func TestConditionsAreFoundByTheirNumber(t *testing.T) {
	f := mustFilter(t, "(a = 1 OR NOT b = 2) AND (c = 3 OR d = 4)")
	for number, field := range map[int]string{1: "a", 2: "b", 3: "c", 4: "d"} {
		n := f.Condition(number)
		if n == nil || n.Field.Value != field {
			t.Fatalf("condition %d is %+v, not that of %s", number, n, field)
		}
		if got := f.Number(n); got != number {
			t.Errorf("the condition of %s has number %d, not %d", field, got, number)
		}
	}
	for _, number := range []int{0, 5} {
		if n := f.Condition(number); n != nil {
			t.Errorf("condition %d is %+v", number, n)
		}
	}
	if got := f.Number(&Node{}); got != 0 {
		t.Errorf("a condition of another filter has number %d", got)
	}
}
