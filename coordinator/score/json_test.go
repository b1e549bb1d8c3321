package score

import (
	"testing"

	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/query/rule"
)

// A request that sorts by one point twice gets one member for it, at the place of the first
// rule and with the values of the last.
func TestAPointNamedTwiceIsOneMember(t *testing.T) {
	geo := func(lat float64, desc bool, at float64) Detail {
		return Detail{Rule: rule.Rule{Kind: rule.Geo, Lat: lat, Lng: 2, Desc: desc}, HasPoint: true, Point: filter.GeoPoint{Lat: at}, Distance: at}
	}
	half := func(kind rule.Kind) Detail { return Detail{Rule: rule.Rule{Kind: kind}, Rank: Rank{2, 2}} }
	settings := settings.Default()
	settings.RankingRules = []string{"sort", "attribute", "exactness"}
	for _, c := range []struct {
		details Details
		want    string
	}{
		{Details{geo(1, false, 5), geo(1, false, 6)}, `{"_geoPoint(1, 2):asc":{"order":1,"value":{"lat":6.0,"lng":0.0},"distance":6.0}}`},
		{Details{geo(1, false, 5), geo(1, true, 6)}, `{"_geoPoint(1, 2):asc":{"order":0,"value":{"lat":5.0,"lng":0.0},"distance":5.0},"_geoPoint(1, 2):desc":{"order":1,"value":{"lat":6.0,"lng":0.0},"distance":6.0}}`},
		{
			Details{geo(1, false, 5), half(rule.AttributeRank), half(rule.WordPosition), geo(3, false, 7), geo(1, false, 6), half(rule.Words)},
			`{"_geoPoint(1, 2):asc":{"order":3,"value":{"lat":6.0,"lng":0.0},"distance":6.0},` +
				`"attribute":{"order":1,"attributeRankingOrderScore":1.0,"queryWordDistanceScore":1.0,"score":1.0},` +
				`"_geoPoint(3, 2):asc":{"order":2,"value":{"lat":7.0,"lng":0.0},"distance":7.0},` +
				`"words":{"order":4,"matchingWords":2,"maxMatchingWords":2,"score":1.0}}`,
		},
	} {
		if got := string(c.details.AppendJSON(nil, settings)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
