package parameter

import (
	"slices"
	"testing"

	"shoal/api/jsonvalue"
)

func TestSortInAQueryStringIsSplitAtCommasOutsideGeoPoints(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 {""},
		`"price:asc , color:desc"`:         {"price:asc", "color:desc"},
		"_geoPoint(1, 2):asc,price:desc":   {"_geoPoint(1,2):asc", "price:desc"},
		"_geoPoint(1):asc,price:asc,t:asc": {"_geoPoint(1):asc,price:asc,t:asc"},
		"_geoPoint(1,_geoPoint(2,3):asc":   {"_geoPoint(1", "_geoPoint(2,3):asc"},
		"a,_geoPoint(1,2":                  {"a", "_geoPoint(1,2"},
	} {
		v := jsonvalue.StringValue(text)
		if got, err := QuerySort(nil, &v); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
