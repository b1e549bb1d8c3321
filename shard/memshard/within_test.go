package memshard

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
	query "shoal/query/filter"
	"shoal/shard/filter"
)

// A circle has the same documents whether their places are in a column or are read.
func TestAColumnOfPlacesChangesNoCircle(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		docs := map[uint32]string{}
		var points []query.GeoPoint
		for i := range uint32(300) {
			p := query.GeoPoint{Lat: r.Float64()*180 - 90, Lng: r.Float64()*360 - 180}
			if n := len(points); n > 0 && r.IntN(2) == 0 {
				near := points[r.IntN(n)]
				size := math.Pow(10, float64(r.IntN(6))-5)
				p = query.GeoPoint{Lat: near.Lat + r.NormFloat64()*size, Lng: near.Lng + r.NormFloat64()*size}
			}
			if seed%10 == 0 && r.IntN(50) == 0 {
				p.Lat *= 1e5
			}
			points = append(points, p)
			docs[i] = fmt.Sprintf(`{"_geo":{"lat":%v,"lng":%v}}`, p.Lat, p.Lng)
			if r.IntN(9) == 0 {
				docs[i] = `{"n":1}`
			}
		}
		s := settings.Default()
		s.Filterable = []settings.FilterableRule{{Patterns: []string{"_geo"}, Plain: true, Equality: true, Comparison: true}}
		kept, err := New(s, []string{"_geo", "_geo.lat", "_geo.lng", "n"}, docs)
		if err != nil {
			t.Fatal(err)
		}
		read, err := New(s, []string{"_geo", "_geo.lat", "_geo.lng", "n"}, docs)
		if err != nil {
			t.Fatal(err)
		}
		read.Memo().Bound(1)
		for range 20 {
			at, other := points[r.IntN(len(points))], points[r.IntN(len(points))]
			if math.Abs(at.Lat) > 90 || math.Abs(at.Lng) > 180 {
				continue
			}
			radius := query.GeoDistance(at, other)
			if r.IntN(2) == 0 {
				radius += r.NormFloat64() * 20
			}
			text, err := json.Marshal(fmt.Sprintf("_geoRadius(%v, %v, %v)", at.Lat, at.Lng, radius))
			if err != nil {
				t.Fatal(err)
			}
			got, err := filter.Evaluator(kept, apierr.CodeInvalidSearchFilter)(context.Background(), text)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, text, err)
			}
			want, err := filter.Evaluator(read, apierr.CodeInvalidSearchFilter)(context.Background(), text)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(want) {
				t.Fatalf("seed %d, %s: %v instead of %v", seed, text, got.AppendTo(nil), want.AppendTo(nil))
			}
		}
		if kept.Memo().Len() != 1 || read.Memo().Len() != 0 {
			t.Fatalf("%d and %d columns", kept.Memo().Len(), read.Memo().Len())
		}
	}
}

// shape returns a random shape: one that may be tiny, or reach over the antimeridian or a pole.
func shape(r *rand.Rand, depth int) map[string]any {
	size := math.Pow(10, float64(r.IntN(5))-3)
	lng, lat := r.Float64()*360-180, r.Float64()*170-85
	at := func() []float64 {
		return []float64{lng + r.NormFloat64()*size, max(-90, min(90, lat+r.NormFloat64()*size))}
	}
	line := func() [][]float64 { return [][]float64{at(), at(), at()} }
	ring := func() [][]float64 { l := line(); return append(l, l[0]) }
	kind, coordinates := "Point", any(at())
	switch r.IntN(8) {
	case 1:
		kind, coordinates = "MultiPoint", line()
	case 2:
		kind, coordinates = "LineString", line()
	case 3:
		kind, coordinates = "MultiLineString", [][][]float64{line(), line()}
	case 4:
		kind, coordinates = "Polygon", [][][]float64{ring(), ring()}
	case 5:
		kind, coordinates = "MultiPolygon", [][][][]float64{{ring()}, {ring()}}
	case 6:
		if depth == 0 {
			return map[string]any{"type": "GeometryCollection", "geometries": []any{shape(r, 1), shape(r, 1)}}
		}
	case 7:
		if depth == 0 {
			return map[string]any{"type": "FeatureCollection", "features": []any{map[string]any{"type": "Feature", "properties": nil, "geometry": shape(r, 1)}}}
		}
	}
	return map[string]any{"type": kind, "coordinates": coordinates}
}

// A region touches the same shapes whether their boxes are in a column or all are read.
func TestAColumnOfBoxesChangesNoRegion(t *testing.T) {
	found := 0
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 4))
		docs := map[uint32]string{}
		for i := range uint32(200) {
			text, err := json.Marshal(map[string]any{"_geojson": shape(r, 0)})
			if err != nil {
				t.Fatal(err)
			}
			if docs[i] = string(text); r.IntN(9) == 0 {
				docs[i] = `{"n":1}`
			}
		}
		s := settings.Default()
		s.Filterable = []settings.FilterableRule{{Patterns: []string{"_geojson"}, Plain: true, Equality: true, Comparison: true}}
		kept, err := New(s, []string{"_geojson", "n"}, docs)
		if err != nil {
			t.Fatal(err)
		}
		read, err := New(s, []string{"_geojson", "n"}, docs)
		if err != nil {
			t.Fatal(err)
		}
		read.Memo().Bound(1)
		for range 10 {
			lat, lng, size := r.Float64()*160-80, r.Float64()*360-180, r.Float64()*20
			text := fmt.Sprintf("_geoRadius(%v, %v, %v)", lat, lng, r.Float64()*3e6)
			switch r.IntN(3) {
			case 1:
				text = fmt.Sprintf("_geoBoundingBox([%v, %v], [%v, %v])", min(90, lat+size), min(180, lng+size), max(-90, lat-size), lng)
			case 2:
				text = fmt.Sprintf("_geoPolygon([%v, %v], [%v, %v], [%v, %v])", lat, lng, lat, min(180, lng+size), min(90, lat+size), lng)
			}
			condition, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := filter.Evaluator(kept, apierr.CodeInvalidSearchFilter)(context.Background(), condition)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, text, err)
			}
			want, err := filter.Evaluator(read, apierr.CodeInvalidSearchFilter)(context.Background(), condition)
			if err != nil {
				t.Fatal(err)
			}
			if found += want.Len(); !got.Equal(want) {
				t.Fatalf("seed %d, %s: %v instead of %v", seed, text, got.AppendTo(nil), want.AppendTo(nil))
			}
		}
		if kept.Memo().Len() != 1 || read.Memo().Len() != 0 {
			t.Fatalf("%d and %d columns", kept.Memo().Len(), read.Memo().Len())
		}
	}
	if found < 100 {
		t.Errorf("only %d shapes were touched", found)
	}
}
