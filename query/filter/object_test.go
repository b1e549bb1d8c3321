package filter

import (
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
)

// Each wrong form of braces has a message with its place.
func TestObjectSyntaxErrors(t *testing.T) {
	for _, c := range []struct{ text, message, columns string }{
		{"v.{}", apierr.FilterTextEmptyObject, "1:5"},
		{"a = 1 AND v.{ }", apierr.FilterTextEmptyObject, "11:16"},
		{"'my v'.{}", apierr.FilterTextEmptyObject, "2:10"},
		{"v.{", apierr.FilterTextOperation(""), "4:4"},
		{"v.{a = 1", apierr.FilterTextDelimiter("v.{a = 1", "}"), "1:9"},
		{"b = 2 AND v.{a = 1) OR c = 1", apierr.FilterTextDelimiter("v.{a = 1) OR c = 1", "}"), "11:29"},
		{"v.{a = 1 b = 2}", apierr.FilterTextDelimiter("v.{a = 1 b = 2}", "}"), "1:16"},
		{"v.{w.{a = 1}", apierr.FilterTextDelimiter("v.{w.{a = 1}", "}"), "1:13"},
		{"v.{a = 1}}", apierr.FilterTextTrailing("}"), "10:11"},
		{"v.{a = 1} b = 2", apierr.FilterTextTrailing("b = 2"), "11:16"},
		{"v.{a}", apierr.FilterTextOperation("a}"), "4:6"},
		{"v.{a = }", apierr.FilterTextValue("", false), "8:8"},
		{"v.{a = AND}", apierr.FilterTextValue("AND", true), "8:11"},
		{"v.{a IN [1}", apierr.FilterTextInList("}"), "11:12"},
		{"v.{a = 1 AND }", apierr.FilterTextOperation("}"), "14:15"},
		{"v.{_geoRadius(1, 2, 3)}", apierr.FilterTextInObject("_geoRadius"), "4:14"},
		{"v.{a = 1 AND _geoBoundingBox([1,2],[3,4])}", apierr.FilterTextInObject("_geoBoundingBox"), "14:29"},
		{"v.{_geoPolygon([1,2],[3,4],[5,6])}", apierr.FilterTextInObject("_geoPolygon"), "4:15"},
		{"v.{_vectors EXISTS}", apierr.FilterTextInObject("_vectors"), "4:12"},
		{"v.{_vectors.e EXISTS}", apierr.FilterTextInObject("_vectors"), "4:12"},
		{"v.{_foreign(a, b = 1)}", apierr.FilterTextInObject("_foreign"), "4:12"},
		{"v.{_geo = 1}", apierr.FilterTextReservedGeo("_geo"), "4:13"},
		{"_geo.{lat = 1}", apierr.FilterTextReservedObject("_geo"), "1:5"},
		{"'_geojson'.{type = Point}", apierr.FilterTextReservedObject("_geojson"), "2:10"},
		{"_vectors.e.{regenerate = true}", apierr.FilterTextReservedObject("_vectors.e"), "1:11"},
		// What is no brace right behind a point is what it was.
		{"v {a = 1}", apierr.FilterTextOperation("v {a = 1}"), "1:10"},
		{"v. {a = 1}", apierr.FilterTextOperation("v. {a = 1}"), "1:11"},
		{"v{a = 1}", apierr.FilterTextOperation("v{a = 1}"), "1:9"},
		{".{a = 1}", apierr.FilterTextOperation(".{a = 1}"), "1:9"},
		{"''.{a = 1}", apierr.FilterTextOperation(`\'\'.{a = 1}`), "1:11"},
		{"'v' .{a = 1}", apierr.FilterTextOperation(`\'v\' .{a = 1}`), "1:13"},
		{"a = v.{b = 1}", apierr.FilterTextTrailing("{b = 1}"), "7:14"},
		{"NOT {a = 1}", apierr.FilterTextOperation("{a = 1}"), "5:12"},
	} {
		refuses(t, c.text, c.message, c.columns)
	}
}

// The canonical text of braces says the same: names inside are those from the path on.
func TestObjectCanonical(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"v.{a = 1}", `"v".{"a" = "1"}`},
		{"v.{ a=1 AND b=2 }AND c=3", `("v".{("a" = "1") AND ("b" = "2")}) AND ("c" = "3")`},
		{"v.w.{a.b EXISTS } OR 'x y'.{\"c d\" IN [1,]}", `("v.w".{"a.b" EXISTS}) OR ("x y".{"c d" IN ["1"]})`},
		{"NOT v.{NOT a = 1}", `NOT ("v".{NOT ("a" = "1")})`},
		{"v.{a = 1 AND w.{b 1 TO 2 OR x.{c IS NULL}}}", `"v".{("a" = "1") AND ("w".{("b" "1" TO "2") OR ("x".{"c" IS NULL})})}`},
		{"v.{_shard = 1 OR _foreign = 2 OR '_vectors' EXISTS}", `"v".{("_shard" = "1") OR ("_foreign" = "2") OR ("_vectors" EXISTS)}`},
		{"AND.{a = '}'}", `"AND".{"a" = "}"}`},
		{"_foreign(k, v.{a = 1})", `_foreign("k", "v".{"a" = "1"})`},
	} {
		f := mustFilter(t, c.text)
		if got := f.String(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		} else if got := mustFilter(t, got).String(); got != c.want {
			t.Errorf("%s: read again it is %s", c.text, got)
		}
	}
	n := mustFilter(t, "v.{a = 1 AND w.{b = 2}}").Root.Kids[0]
	if n.Kids[0].Field.Value != "v.a" || n.Kids[1].Field.Value != "v.w" || n.Kids[1].Kids[0].Field.Value != "v.w.b" {
		t.Errorf("names inside are %q, %q, %q", n.Kids[0].Field.Value, n.Kids[1].Field.Value, n.Kids[1].Kids[0].Field.Value)
	}
}

func TestObjectsMustBeDeclared(t *testing.T) {
	s := settings.Default()
	check := func(text, want string) {
		t.Helper()
		got := ""
		if err := mustFilter(t, text).CheckFilterable(s); err != nil {
			got = err.Message
		}
		if got != want {
			t.Errorf("%s:\n got %q\nwant %q", text, got, want)
		}
	}
	s.Filterable = plain("v")
	check("v.{a = 1}", apierr.FilterTextNotSameObject("v.a", nil)+"\n4:5 v.{a = 1}")
	check("w.{a = 1}", apierr.FilterTextNotFilterable("w.a", []string{"v"})+"\n4:5 w.{a = 1}")
	s.Filterable = []settings.FilterableRule{
		{Patterns: []string{"v.hidden"}, SameObject: true},
		{Patterns: []string{"v.flat"}, Equality: true},
		{Patterns: []string{"w.*", "v", "v.*"}, Equality: true, SameObject: true},
	}
	check("v.{a = 1 AND w.{b = 1}} OR v.w.{b = 1}", "")
	check("v.{a = 1 AND flat = 2}", apierr.FilterTextNotSameObject("v.flat", []string{"v", "v.*", "v.hidden", "w.*"})+"\n14:18 v.{a = 1 AND flat = 2}")
	check("v.{hidden = 1}", apierr.FilterTextNotFilterable("v.hidden", []string{"v", "v.*", "v.flat", "w.*"})+"\n4:10 v.{hidden = 1}")
	check("w.{a = 1}", apierr.FilterTextNotSameObject("w", []string{"v", "v.*", "v.hidden", "w.*"})+"\n1:2 w.{a = 1}")
	check("v.flat = 1", "")
}

// Gates hold inside of braces.
func TestContainsInBracesNeedsItsFeature(t *testing.T) {
	err := mustFilter(t, "v.{a CONTAINS x}").CheckGates(Gates{})
	if err == nil || !strings.HasSuffix(err.Message, "\n6:14 v.{a CONTAINS x}") || err.Code == nil {
		t.Errorf("got %v", err)
	}
}

// Braces count as parentheses, their paths have a bound, and what stands in them weighs what
// it costs.
func TestBracesHaveTheLimitsOfFilters(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("v.{", n) + "a = 1" + strings.Repeat("}", n) }
	mustFilter(t, nested(16))
	if _, err := ParseFilterText(nested(17)); err == nil || !strings.HasPrefix(err.Message, apierr.FilterTextObjectNames(16)+"\n49:50 v.{") {
		t.Errorf("17 braces in each other: %v", err)
	}
	mustFilter(t, strings.Repeat("v.", 16)+"{a = 1}")
	if _, err := ParseFilterText(strings.Repeat("v.", 17) + "{a = 1}"); err == nil || !strings.HasPrefix(err.Message, apierr.FilterTextObjectNames(16)) {
		t.Errorf("a path of 17 names: %v", err)
	}
	deep := func(n int) string { return "v.{" + strings.Repeat("(", n) + "a = 1" + strings.Repeat(")", n) + "}" }
	mustFilter(t, deep(35))
	if _, err := ParseFilterText(deep(36)); err == nil || !strings.HasPrefix(err.Message, apierr.FilterTextDepth) {
		t.Errorf("36 parentheses in braces: %v", err)
	}
	for _, c := range []struct {
		text string
		fits bool
	}{
		{"v.{" + strings.Repeat("a = 1 OR ", 4_990) + "a = 1}", true},
		{"v.{" + strings.Repeat("a = 1 OR ", 5_010) + "a = 1}", false},
		{"v.{a IN [" + strings.Repeat("1,", 9_900) + "]}", true},
		{"v.{a IN [" + strings.Repeat("1,", 10_100) + "]}", false},
		{strings.Repeat("v", 64_000) + ".{" + strings.Repeat("a = 1 OR ", 40) + "a = 1}", true},
		{strings.Repeat("v", 64_000) + ".{" + strings.Repeat("a = 1 OR ", 60) + "a = 1}", false},
	} {
		_, err := ParseRequestFilter([]byte(`"` + c.text + `"`))
		if c.fits != (err == nil) || err != nil && !strings.HasPrefix(err.Message, apierr.FilterTextWeight(MaxFilterWeight)) {
			t.Errorf("%.40s... of %d bytes: %v", c.text, len(c.text), err != nil)
		}
	}
}
