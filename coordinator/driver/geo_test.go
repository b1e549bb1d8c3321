package driver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query/filter"
	"shoal/query/rule"
	"shoal/shard/rank"
	"shoal/shard/rank/rules"
	"shoal/wire"
)

// place returns a point: anywhere, within some metres of another one or of its opposite, at a pole,
// at the antimeridian, or with coordinates that no map has.
func place(r *rand.Rand, near filter.GeoPoint) filter.GeoPoint {
	metres := func() float64 { return (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(5))-4) }
	switch r.IntN(8) {
	case 0, 1:
		return filter.GeoPoint{Lat: r.Float64()*180 - 90, Lng: r.Float64()*360 - 180}
	case 2, 3:
		return filter.GeoPoint{Lat: near.Lat + metres(), Lng: near.Lng + metres()}
	case 4:
		return filter.GeoPoint{Lat: -near.Lat + metres(), Lng: near.Lng + 180 + metres()}
	case 5:
		return filter.GeoPoint{Lat: float64(r.IntN(2)*180-90) + metres(), Lng: r.Float64() * 360}
	case 6:
		return filter.GeoPoint{Lat: near.Lat, Lng: float64(r.IntN(2)*360-180) + metres()}
	}
	return filter.GeoPoint{Lat: r.NormFloat64() * 500, Lng: r.NormFloat64() * 500}
}

// Documents come in the same order whether their places are in a column or are read one by one.
func TestAColumnOfPlacesChangesNoOrder(t *testing.T) {
	chunk := rules.GeoChunk
	defer func() { rules.GeoChunk = chunk }()
	for seed := range uint64(rounds(400, 60)) {
		r := rand.New(rand.NewPCG(seed, 7))
		rules.GeoChunk = 1 + r.IntN(40)
		from := place(r, filter.GeoPoint{Lat: 12, Lng: 178})
		docs := map[uint32]string{0: `{"n":1,"t":"x","_geo":{"lat":1,"lng":2}}`}
		odd := r.IntN(10) == 0
		for i := range uint32(20 + r.IntN(200)) {
			p := place(r, from)
			if !odd && max(math.Abs(p.Lat), math.Abs(p.Lng)) > 1000 || r.IntN(10) == 0 {
				docs[i+1] = fmt.Sprintf(`{"n":%d,"t":"x"}`, i%3)
				continue
			}
			docs[i+1] = fmt.Sprintf(`{"n":%d,"t":"x","_geo":{"lat":%v,"lng":%v}}`, i%3, p.Lat, p.Lng)
		}
		shards := 1 + r.IntN(3)
		kept, read := newCorpus(t, settings.Default(), docs, shards), newCorpus(t, settings.Default(), docs, shards)
		for _, s := range read.shards {
			s.Memo().Bound(1)
		}
		for range 6 {
			by := []rule.Rule{{Kind: rule.Geo, Lat: from.Lat, Lng: from.Lng, Desc: r.IntN(2) == 0}, {Kind: rule.Sort, Field: "n"}}
			if r.IntN(3) == 0 {
				by[0], by[1] = by[1], by[0]
			}
			o := options{limit: 1 + r.IntN(300), sort: by}
			if r.IntN(4) == 0 {
				o.distinct = "n"
			}
			got, want := kept.show(kept.search("", o)), read.show(read.search("", o))
			if got != want {
				t.Fatalf("seed %d, %+v:\n%s\nread one by one:\n%s", seed, o, got, want)
			}
			from = place(r, from)
		}
		for i, s := range kept.shards {
			if s.Memo().Len() <= read.shards[i].Memo().Len() {
				t.Fatalf("seed %d: %d and %d columns", seed, s.Memo().Len(), read.shards[i].Memo().Len())
			}
		}
	}
}

// A search that ranks more documents than it returns asked for two of them at a time.
func TestManyPlacesTakeFewSteps(t *testing.T) {
	docs := map[uint32]string{}
	for i := range uint32(3000) {
		docs[i] = fmt.Sprintf(`{"t":"x","_geo":{"lat":%v,"lng":0}}`, float64(i)/100)
	}
	c := newCorpus(t, settings.Default(), docs, 1)
	plan := c.plan("x", options{limit: 1, exhaustive: true, threshold: 0.1, sort: []rule.Rule{{Kind: rule.Geo}}})
	plan.MaxTotalHits = 3000
	s := &streamCount{Session: rank.New(c.shards[0], nil)}
	defer s.Close()
	if _, err := driver.Run(t.Context(), []wire.Session{s}, plan); err != nil {
		t.Fatal(err)
	}
	if s.asked == 0 || s.asked > 100 {
		t.Errorf("asked %d times", s.asked)
	}
}

// streamCount counts how often a session returns documents of a stream.
type streamCount struct {
	wire.Session
	asked int
}

func (s *streamCount) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	reply, err := s.Session.Step(ctx, step)
	if err == nil && reply.Buckets != nil && len(reply.Buckets.Stream) > 0 {
		s.asked++
	}
	return reply, err
}
