package filter

import (
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
)

func TestSortSyntax(t *testing.T) {
	for _, c := range []struct{ element, canonical, message string }{
		{"price:asc", "price:asc", ""},
		{"a:b:desc", "a:b:desc", ""},
		{":asc", ":asc", ""},
		{"_geoPoint( 1.50 ,-2):desc", "_geoPoint(1.5, -2):desc", ""},
		{"_geoPoint(1.,+.5):asc", "_geoPoint(1, 0.5):asc", ""},
		{"_geoPoint(90,180):asc", "_geoPoint(90, 180):asc", ""},
		{"_geoPoint(-90,-180):asc", "_geoPoint(-90, -180):asc", ""},
		{"_geoPoint(-90.1,0):asc", "", "Bad latitude `-90.1`. Latitude must be contained between -90 and 90 degrees."},
		{"_geoPoint(1:asc", "_geoPoint(1:asc", ""},
		{"_geoRadiusX:asc", "_geoRadiusX:asc", ""},
		{"price", "", apierr.SortTextSyntax("price")},
		{"price:", "", apierr.SortTextSyntax("price:")},
		{"price:ASC", "", apierr.SortTextSyntax("price:ASC")},
		{"_geoPoint(1,2)", "", apierr.SortTextSyntax("_geoPoint(1,2)")},
		{"_geoPoint:asc", "", apierr.SortTextGeoSyntax("_geoPoint")},
		{"_geoPoint(1):asc", "", apierr.SortTextGeoSyntax("_geoPoint(1)")},
		{"_geoPoint(1,2,3):asc", "", apierr.SortTextGeoSyntax("_geoPoint(1,2,3)")},
		{"_geoPoint(a,2):asc", "", apierr.SortTextGeoSyntax("_geoPoint(a,2)")},
		{"_geoPoint(0x1,2):asc", "", apierr.SortTextGeoSyntax("_geoPoint(0x1,2)")},
		{"_geoPoint(91,2):asc", "", "Bad latitude `91`. Latitude must be contained between -90 and 90 degrees."},
		{"_geoPoint(nan,2):asc", "", "Bad latitude `NaN`. Latitude must be contained between -90 and 90 degrees."},
		{"_geoPoint(1,190.5):asc", "", "Bad longitude `190.5`. Longitude must be contained between -180 and 180 degrees. Hint: try using `-169.5` instead."},
		{"_geo:asc", "", apierr.SortTextReserved("_geo", true)},
		{"_geoRadius(1,2):desc", "", apierr.SortTextReserved("_geoRadius", true)},
		{"_geoBoundingBox:asc", "", apierr.SortTextReserved("_geoBoundingBox", true)},
		{"_geo(1):asc", "", apierr.SortTextReserved("_geo(1)", false)},
		{"_geoDistance(1):asc", "", apierr.SortTextReserved("_geoDistance(1)", false)},
		{"_geojson:asc", "", apierr.SortTextReserved("_geojson", false)},
		{"_random(7)", "_random(7)", ""},
		{"_random(007)", "_random(7)", ""},
		{"_random(4294967295)", "_random(4294967295)", ""},
		{"_random(4294967296)", "", apierr.SortTextRandomSeed("_random(4294967296)")},
		{"_random()", "", apierr.SortTextRandomSeed("_random()")},
		{"_random(-1)", "", apierr.SortTextRandomSeed("_random(-1)")},
		{"_random(x)", "", apierr.SortTextRandomSeed("_random(x)")},
		// As the reference reads them.
		{"_random", "", apierr.SortTextSyntax("_random")},
		{"_random(7):asc", "_random(7):asc", ""},
		{"_random(7", "", apierr.SortTextSyntax("_random(7")},
	} {
		list, err := ParseSort([]string{c.element})
		switch {
		case err != nil && err.Message != c.message:
			t.Errorf("%s: got %q, want %q", c.element, err.Message, c.message)
		case err == nil && (c.message != "" || list[0].String() != c.canonical):
			t.Errorf("%s: got %v, want %q %q", c.element, list, c.canonical, c.message)
		}
	}
}

func TestCheckSearchSort(t *testing.T) {
	s := settings.Default()
	check := func(want string, elements ...string) {
		t.Helper()
		list, err := ParseSort(elements)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := CheckSearchSort(list, s); err != nil {
			got = err.Message
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", elements, got, want)
		}
	}
	check("Attribute `a` is not sortable. This index does not have configured sortable attributes.", "a:asc")
	s.Sortable = []string{"a", "b"}
	check("", "a.x:asc", "b:desc")
	check("", "_random(1)", "b:desc", "_random(2)")
	check("Attribute `_random(1)` is not sortable. Available sortable attributes are: `a, b`.", "_random(1):asc")
	check("Attribute `ax` is not sortable. Available sortable attributes are: `a, b`.", "ax:asc")
	check("Attribute `_geo` is not sortable. Available sortable attributes are: `a, b`.", "_geoPoint(1,2):asc")
	s.DisplayedAttributes = []string{"b"}
	check("Attribute `c` is not sortable. Available sortable attributes are: `b, <..hidden-attributes>`.", "c:asc")
	s.DisplayedAttributes = []string{"z"}
	check("Attribute `c` is not sortable. This index does not have configured sortable attributes.", "c:asc")
	s.RankingRules = []string{"words"}
	check(apierr.SortTextNoRule, "c:asc")
	check(apierr.SortTextNoRule, "_random(1)")
}

func FuzzSort(f *testing.F) {
	for _, seed := range []string{"a:asc", "_geoPoint(1e3,2):desc", "_geoPoint(-1.5 , 2):asc", ":desc", "_geo(1):asc"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, element string) {
		list, err := ParseSort([]string{element})
		if err != nil {
			return
		}
		again, err := ParseSort([]string{list[0].String()})
		if err != nil || again[0] != list[0] {
			t.Fatalf("%q: %v does not parse to itself: %v %v", element, list[0], again, err)
		}
	})
}

func TestFilterForm(t *testing.T) {
	long := strings.Repeat("é", 200) // three bytes each when decomposed
	for _, c := range []struct{ value, want string }{
		{"  Ab C ", "ab c"},
		{"ﬁ", "fi"},
		{long, strings.Repeat("e\u0301", 156) + "\xff"},
		{strings.Repeat("x", 468), strings.Repeat("x", 468)},
		{strings.Repeat("x", 469), strings.Repeat("x", 468) + "\xff"},
	} {
		if got := FilterForm(c.value); got != c.want {
			t.Errorf("%.20q: got %q, want %q", c.value, got, c.want)
		}
	}
}
