package query

import (
	"slices"
	"strings"
	"testing"

	"shoal/api/settings"
)

// TestSearchOnKnowsFieldsAndNamesOfTheSettings: what may be searched are the searchable
// fields that the index has. An attribute of the settings may be named before a document
// has it, a field below one may not, and the error lists fields only.
func TestSearchOnKnowsFieldsAndNamesOfTheSettings(t *testing.T) {
	fields := []string{"id", "a", "a.b", "_geo", "_geo.lat", "_geojson", "_vectors"}
	for _, c := range []struct {
		searchable, on string
		fids           []uint16
		listed         string // of the error, "-" without one
	}{
		{"a zz", "a", []uint16{1}, "-"},
		{"a zz", "a.b", []uint16{2}, "-"},
		{"a zz", "zz", nil, "-"},
		{"a zz", "a.c", nil, "a, a.b"},
		{"a zz", "zz.c", nil, "a, a.b"},
		{"a zz", "b", nil, "a, a.b"},
		{"a zz", "z*", nil, "a, a.b"},
		{"zz", "b", nil, ""},
		{"_geojson", "_geojson", nil, "-"},
		{"_geojson", "_geo", nil, ""},
		{"_geo _vectors", "_geo.lat", nil, ""},
		{"_vectors", "_vectors", nil, "-"},
		{"_geo a", "x", nil, "a, a.b"},
	} {
		s := settings.Default()
		s.SearchableAttributes = strings.Fields(c.searchable)
		fids, restricted, err := SearchOn([]string{c.on}, s, fields)
		if c.listed != "-" {
			if want := "Attribute `" + c.on + "` is not searchable. Available searchable attributes are: `" + c.listed + "`."; err == nil || err.Message != want {
				t.Errorf("%s on %s: %v, want %s", c.searchable, c.on, err, want)
			}
			continue
		}
		if err != nil || !restricted || !slices.Equal(fids, c.fids) {
			t.Errorf("%s on %s: %v %v %v, want %v", c.searchable, c.on, fids, restricted, err, c.fids)
		}
	}
}
