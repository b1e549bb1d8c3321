package memshard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/paulmach/orb"

	"shoal/api/apierr"
	"shoal/api/settings"
	query "shoal/query/filter"
	"shoal/shard/docset"
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

// spread returns a shard of documents with a point and every second one with a shape too. Few are
// near (0, 0).
func spread(t *testing.T, documents uint32) *Shard {
	t.Helper()
	docs := map[uint32]string{}
	for i := range documents {
		lat := 60 + float64(i)/1e6
		if i%100 == 0 {
			lat = float64(i) / 1e6
		}
		docs[i] = fmt.Sprintf(`{"_geo":{"lat":%v,"lng":0}}`, lat)
		if i%2 == 0 {
			docs[i] = fmt.Sprintf(`{"_geo":{"lat":%v,"lng":0},"_geojson":{"type":"Point","coordinates":[0,%v]}}`, lat, lat)
		}
	}
	s := settings.Default()
	s.Filterable = []settings.FilterableRule{{Patterns: []string{"_geo"}, Plain: true, Equality: true, Comparison: true}}
	shard, err := New(s, []string{"_geo", "_geo.lat", "_geo.lng", "_geojson"}, docs)
	if err != nil {
		t.Fatal(err)
	}
	return shard
}

// world are the bounds of all places.
var world = []orb.Bound{{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}}

// The boxes of documents without shape met those of large regions, which had them read.
func TestADocumentWithoutShapeMeetsNoRegion(t *testing.T) {
	shard := spread(t, 100)
	near, ok, err := shard.Touching(t.Context(), world, shard.Live())
	if err != nil || !ok || near.Len() != 50 {
		t.Errorf("%d documents, %v, %v", near.Len(), ok, err)
	}
}

// A wide circle had the points of all documents read, although few were near it and many had
// changed.
func TestAWideCircleReadsDocumentsNearItOnly(t *testing.T) {
	shard := spread(t, 1000)
	got, err := filter.Evaluator(shard, apierr.CodeInvalidSearchFilter)(t.Context(), []byte(`"_geoRadius(0, 0, 600000)"`))
	if err != nil || got.Len() != 10 || shard.Memo().Len() != 0 {
		t.Errorf("%d documents, %d columns, %v", got.Len(), shard.Memo().Len(), err)
	}
}

// Columns of places that grew with the documents, or were made one after the other, took more
// memory than the Memo may.
func TestColumnsOfPlacesStayWithinTheBound(t *testing.T) {
	const most = 22000
	var before *Shard
	for documents := uint32(1000); documents <= 3000; documents += 500 {
		shard := spread(t, documents)
		shard.Memo().Bound(most)
		if before != nil {
			shard.Follow(before, shard.Live().AndNot(before.Live()))
		}
		if _, _, _, err := shard.Within(t.Context(), query.GeoCircle{Radius: 1e6}, shard.Live(), shard.Live().Len()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := shard.Touching(t.Context(), world, shard.Live()); err != nil {
			t.Fatal(err)
		}
		if n := shard.Memo().Bytes(); n > most {
			t.Errorf("%d documents: %d bytes", documents, n)
		}
		before = shard
	}
}

// A search that had ended still read all documents for a column.
func TestMakingAColumnOfPlacesEndsWithTheSearch(t *testing.T) {
	shard := spread(t, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := shard.Within(ctx, query.GeoCircle{Radius: 1e6}, shard.Live(), shard.Live().Len()); !errors.Is(err, context.Canceled) {
		t.Errorf("points: %v", err)
	}
	if _, _, err := shard.Touching(ctx, world, shard.Live()); !errors.Is(err, context.Canceled) {
		t.Errorf("boxes: %v", err)
	}
}

// A column of places was made again after a thousand changes, though reading the changed documents
// costs less than reading those of the search.
func TestAColumnOfPlacesFollowsManyChanges(t *testing.T) {
	before, shard := spread(t, 3000), spread(t, 3000)
	live := shard.Live()
	circle := query.GeoCircle{Radius: 1e6}
	if _, _, ok, err := before.Within(t.Context(), circle, live, live.Len()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	var changed docset.Builder
	for row := range uint32(1500) {
		changed.Add(row)
	}
	shard.Follow(before, changed.Set())
	if inside, _, ok, err := shard.Within(t.Context(), circle, live, 2000); !ok || err != nil || inside.Len() != 30 {
		t.Errorf("%d documents, %v, %v", inside.Len(), ok, err)
	}
}
