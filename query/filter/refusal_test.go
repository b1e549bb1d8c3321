package filter

import (
	"errors"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
)

// A shard evaluates the canonical text of a filter whose foreign conditions were replaced. Its
// errors quoted that text instead of the client's.
func TestErrorsOfShardsQuoteTheClientsText(t *testing.T) {
	s := settings.Default()
	s.Filterable = []settings.FilterableRule{{Patterns: []string{"_geo"}, Equality: true, Plain: true}}
	for _, c := range []struct {
		text  string
		place int
		want  string
	}{
		{"a=1 AND  _geoRadius( 95,2,3)", 2, "Bad latitude `95`. Latitude must be contained between -90 and 90 degrees.\n22:24 a=1 AND  _geoRadius( 95,2,3)"},
		{"_geoBoundingBox([1,2],[3,4])", 1, "The top latitude `1` is below the bottom latitude `3`.\n26:27 _geoBoundingBox([1,2],[3,4])"},
		{"NOT _geoPolygon([1,2],[3,4],[5,6])", 1, "Attribute `_geojson` is not filterable. Available filterable attribute patterns are: `_geo`.\n18:19 NOT _geoPolygon([1,2],[3,4],[5,6])"},
		{"_vectors.e  EXISTS", 1, "The embedder `e` does not exist. This index does not have any configured embedders.\n10:11 _vectors.e  EXISTS"},
		{"_geoRadius(1,2,3)", 1, "canonical"},
		{"a = 1", 1, "canonical"},
		{"_vectors.e  EXISTS", 0, "canonical"},
	} {
		f, fault := ParseFilterText(c.text)
		if fault != nil {
			t.Fatal(fault)
		}
		got := f.Reworded(apierr.New(apierr.CodeInvalidSimilarFilter, "canonical").At(c.place), s)
		var client *apierr.Error
		if !errors.As(got, &client) || client.Message != c.want || client.Code != apierr.CodeInvalidSimilarFilter || client.Place != c.place {
			t.Errorf("%s: %v", c.text, got)
		}
	}
	lost := errors.New("lost")
	if got := (*Filter)(nil).Reworded(lost, s); !errors.Is(got, lost) {
		t.Error(got)
	}
}
