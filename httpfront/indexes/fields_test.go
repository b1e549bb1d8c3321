package indexes

import (
	"reflect"
	"testing"

	"shoal/api"
	"shoal/api/settings"
)

// The use of a field follows its metadata in the engine, not only its settings. Reserved
// fields were once described as searchable.
func TestFieldsAreDescribedByTheirUse(t *testing.T) {
	s := &settings.Settings{
		RankingRules: []string{"a:desc", "_geo:asc", "a:asc"}, SortFacetValuesBy: map[string]string{"*": "count"},
		Filterable: []settings.FilterableRule{{Patterns: []string{"_*"}, Equality: true}, {Patterns: []string{"a"}, FacetSearch: true}},
	}
	for name, want := range map[string]api.IndexField{
		"_vectors": {Displayed: true, SortBy: "alpha"},
		"_geo.lat": {Displayed: true, SortBy: "count", Filterable: true, Equality: true},
		"_geojson": {Displayed: true, SortBy: "count", Filterable: true, Equality: true},
		"a":        {Displayed: true, SortBy: "count", Searchable: true, RankingRule: "asc", Filterable: true, FacetSearch: true},
		"_geoline": {Displayed: true, SortBy: "count", Searchable: true, Filterable: true, Equality: true},
	} {
		want.Name = name
		if got := newFieldSettings(s).describe(name); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
