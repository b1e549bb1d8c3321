package filter

import (
	"slices"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
)

func plain(names ...string) []settings.FilterableRule {
	var rules []settings.FilterableRule
	for _, n := range names {
		rules = append(rules, settings.FilterableRule{Patterns: []string{n}, FacetSearch: true, Equality: true, Comparison: true, Plain: true})
	}
	return rules
}

func mustFilter(t *testing.T, text string) *Filter {
	t.Helper()
	f, err := ParseFilterText(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCheckFilterable(t *testing.T) {
	s := settings.Default()
	message := func(text string) string {
		if err := mustFilter(t, text).CheckFilterable(s); err != nil {
			return err.Message
		}
		return ""
	}
	check := func(text, want string) {
		t.Helper()
		if got := message(text); got != want {
			t.Errorf("%s:\n got %q\nwant %q", text, got, want)
		}
	}
	check(`"zz" = "1"`, "Attribute `zz` is not filterable. This index does not have configured filterable attributes.\n2:4 \"zz\" = \"1\"")
	s.Filterable = append(plain("b", "a"), settings.FilterableRule{Patterns: []string{"q*"}, Comparison: true}, settings.FilterableRule{Patterns: []string{"*"}, FacetSearch: true})
	check("a.b = 1 AND NOT b EXISTS AND quark > 2", "")
	check("x = 1 AND (a = 2 OR y IN [1]) AND b = 1", "Attribute `y` is not filterable. Available filterable attribute patterns are: `a`, `b`, `q*`.\n21:22 x = 1 AND (a = 2 OR y IN [1]) AND b = 1")
	check("ab = 1", "Attribute `ab` is not filterable. Available filterable attribute patterns are: `a`, `b`, `q*`.\n1:3 ab = 1")
	check("_vectors EXISTS AND _geoRadius(1,2,3)", "")
}

func TestCheckOperator(t *testing.T) {
	s := settings.Default()
	s.Filterable = append(plain("z"), settings.FilterableRule{Patterns: []string{"a*"}, Equality: true})
	for text, allowed := range map[string]bool{"a = 1": true, "a != 1": true, "a IN [1]": true, "a > 1": false, "a 1 TO 2": false, "a EXISTS": true, "a CONTAINS x": true, "z > 1": true} {
		if err := mustFilter(t, text).Root.CheckOperator(NewFilterable(s)); (err == nil) != allowed {
			t.Errorf("%s: %v", text, err)
		}
	}
	want := "Filter operator `TO` is not allowed for the attribute `ab`.\n  - Note: allowed operators: OR, AND, NOT, =, !=, IN, IS EMPTY, IS NULL, EXISTS.\n  - Note: field `ab` matched rule #1 in `filterableAttributes`\n  - Hint: enable comparison in rule #1 by modifying the features.filter object\n  - Hint: prepend another rule matching `ab` with appropriate filter features before rule #1"
	if err := mustFilter(t, "ab 1 TO 2").Root.CheckOperator(NewFilterable(s)); err == nil || err.Message != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestCheckGates(t *testing.T) {
	for _, c := range []struct {
		text, suffix string
		gates        Gates
	}{
		{"a NOT CONTAINS x", "\n7:15 a NOT CONTAINS x", Gates{}},
		{"_foreign(author, id = a1)", "\n10:16 _foreign(author, id = a1)", Gates{ContainsFilter: true}},
		{"a = 1 OR _shard = x", "\n10:16 a = 1 OR _shard = x", Gates{}},
		{"NOT _vectors EXISTS", "\n5:13 NOT _vectors EXISTS", Gates{Network: true}},
		{"_vectors EXISTS OR a STARTS WITH b", "", Gates{Multimodal: true}},
	} {
		err := mustFilter(t, c.text).CheckGates(c.gates)
		if c.suffix == "" {
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if err == nil || len(err.Message) < len(c.suffix) || err.Message[len(err.Message)-len(c.suffix):] != c.suffix || err.API(apierr.CodeInvalidSearchFilter).Code != apierr.CodeFeatureNotEnabled {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

func TestCheckGeo(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"_geoRadius(91, 1, 2)", apierr.GeoTextLatitude(91) + "\n12:14 _geoRadius(91, 1, 2)"},
		{"_geoRadius(1, 181, 2)", apierr.GeoTextLongitude(181) + "\n15:18 _geoRadius(1, 181, 2)"},
		{"_geoRadius(1, 1, 1e999)", apierr.FilterTextNotFinite + "\n18:23 _geoRadius(1, 1, 1e999)"},
		{"_geoRadius(1, 1, 1, 2)", apierr.GeoTextResolution(2) + "\n21:22 _geoRadius(1, 1, 1, 2)"},
		{"_geoRadius(1, 1, 1, 1000.9)", ""},
	} {
		_, err := mustFilter(t, c.text).Root.Circle()
		if got := errorText(err); got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
	if _, err := mustFilter(t, "_geoBoundingBox([1, 2], [3, 4])").Root.Box(); errorText(err) != "The top latitude `1` is below the bottom latitude `3`.\n29:30 _geoBoundingBox([1, 2], [3, 4])" {
		t.Errorf("%v", err)
	}
}

func errorText(err *FilterError) string {
	if err == nil {
		return ""
	}
	return err.Message
}

func TestFacetEntries(t *testing.T) {
	s := settings.Default()
	s.Filterable = append(plain("t", "_geo", "p.q", "*x"), settings.FilterableRule{Patterns: []string{"a*", "e"}, Equality: true}, settings.FilterableRule{Patterns: []string{"no"}, FacetSearch: true})
	for _, c := range []struct {
		entry string
		fine  bool
	}{
		{"t", true}, {"t.x", true}, {"t*", true}, {"*", true}, {"ab", true}, {"abc*", true}, {"*b", false}, {"zz", false}, {"no", false}, {"*t*", true}, {"n*", false},
		// The parent of a name, and of a pattern; what lies below an exact pattern.
		{"p", true}, {"p.*", true}, {"p.r", false}, {"e.f", true}, {"e.*", true}, {"a*.b", true},
		// A name that begins with a star is no pattern: no entry but itself has to do with it.
		{"zx", false}, {"*x", true}, {"*x.y", true}, {"no.x", false},
	} {
		if err := CheckFacets([]string{c.entry}, s); (err == nil) != c.fine {
			t.Errorf("%s: %v", c.entry, err)
		}
	}
	if err := CheckFacets([]string{"*", "zz"}, s); err == nil || err.Message != "Invalid facet distribution: Pattern `zz` is not filterable. Available filterable attributes patterns are: `*x, _geo, a*, e, p.q, t`." {
		t.Error(err)
	}
	fields := []string{"id", "_geo", "_geo.lat", "_geo.lng", "t", "t.y", "ab", "no", "tt", "zx", "p", "p.q", "e", "e.f"}
	for _, c := range []struct{ entries, want []string }{
		{[]string{"_geo"}, []string{"_geo", "_geo.lat", "_geo.lng"}},
		{[]string{"*"}, []string{"_geo", "_geo.lat", "_geo.lng", "ab", "e", "p.q", "t", "t.y"}},
		{[]string{"t"}, []string{"t", "t.y"}},
		{[]string{"t.x"}, nil},
		{[]string{"p"}, nil},
		{[]string{"p.*"}, []string{"p.q"}},
		{[]string{"e.f"}, nil},
		{nil, nil},
	} {
		if got := selectedNames(SelectFacets(c.entries, s, fields)); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.entries, got, c.want)
		}
	}
	s.Filterable = plain("*")
	if err := CheckFacets([]string{"color"}, s); err == nil || err.Message != "Invalid facet distribution: Pattern `color` is not filterable. Available filterable attributes patterns are: `*`." {
		t.Error(err)
	}
	if got := SelectFacets([]string{"*"}, s, []string{"color"}); got != nil {
		t.Error(got)
	}
	// Vectors are no facets even where a pattern names everything.
	s.Filterable = []settings.FilterableRule{{Patterns: []string{"*"}, Equality: true}}
	if got := selectedNames(SelectFacets([]string{"*", "_vectors"}, s, []string{"_vectors", "_vectors.a", "color"})); !slices.Equal(got, []string{"color"}) {
		t.Error(got)
	}
}

func selectedNames(selected []SelectedFacet) (list []string) {
	for _, f := range selected {
		list = append(list, f.Field)
	}
	return list
}

// What the settings say of a field counts if a request names it, not if it names its parent.
func TestFieldsBelowANamedFacetAreOrderedAsAll(t *testing.T) {
	s := settings.Default()
	s.Filterable = plain("t", "u")
	s.SortFacetValuesBy = map[string]string{"*": "alpha", "t.x": "count", "u": "count"}
	fields := []string{"t", "t.x", "u", "u.x"}
	for _, c := range []struct {
		entries []string
		want    []SelectedFacet
	}{
		{[]string{"t", "u"}, []SelectedFacet{{"t", false}, {"t.x", false}, {"u", true}, {"u.x", false}}},
		{[]string{"t.x"}, []SelectedFacet{{"t.x", true}}},
		{[]string{"t", "t*"}, []SelectedFacet{{"t", false}, {"t.x", true}}},
	} {
		if got := SelectFacets(c.entries, s, fields); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.entries, got, c.want)
		}
	}
}

func TestGeoDistance(t *testing.T) {
	if d := GeoDistance(GeoPoint{48.85, 2.35}, GeoPoint{45, 3}); d != 430932.145 || GeoMetres(d) != 430932 {
		t.Error(d)
	}
	if d := GeoDistance(GeoPoint{1, 2}, GeoPoint{1, 2}); d != 0 {
		t.Error(d)
	}
}
