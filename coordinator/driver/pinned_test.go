package driver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/wire"
)

// pinSearch runs a search with pins and returns the placed hits, the ranking and the documents
// that facets count.
func (c *corpus) pinSearch(q string, o options, pins []driver.Pin) ([]driver.Hit, *driver.Ranked, docset.Set) {
	c.t.Helper()
	var sessions []wire.Session
	var counted []docset.Set
	var open []*rank.Ranker
	for _, f := range c.shards {
		s := rank.New(f, func(context.Context, []byte) (docset.Set, error) { return o.filter, nil })
		defer s.Close()
		sessions, open = append(sessions, s), append(open, s)
	}
	plan := c.plan(q, o)
	plan.Pins = pins
	r, err := driver.Run(context.Background(), sessions, plan)
	if err != nil {
		c.t.Fatalf("%q: %v", q, err)
	}
	for _, s := range open {
		counted = append(counted, s.Counted())
	}
	return r.Placed(r.Hits, o.limit), r, docset.Union(counted...)
}

// Pinned documents stand at their positions, whether they match or not, but never outside of
// the filter. They count once.
func TestPinnedDocumentsStandAtTheirPositions(t *testing.T) {
	docs := texts("red fox", "red hen", "blue whale", "red", "green fox")
	for _, shards := range []int{1, 2, 5} {
		c := newCorpus(t, settings.Default(), docs, shards)
		for _, p := range []struct {
			q    string
			pins [][2]uint32 // ordinal, position
			keep docset.Set  // nil filter when empty
			want string
		}{
			{"red", [][2]uint32{{3, 0}}, docset.Set{}, "3 4 1 2 total 4"},
			{"red", [][2]uint32{{1, 2}, {3, 1}}, docset.Set{}, "4 3 1 2 total 4"},
			{"red", [][2]uint32{{3, 9}, {5, 7}}, docset.Set{}, "4 1 2 5 3 total 5"},
			{"red", [][2]uint32{{3, 0}, {5, 0}}, docset.Set{}, "3 5 4 1 2 total 5"},
			{"red", [][2]uint32{{3, 0}, {2, 0}}, docset.Of(1, 2, 4), "2 4 1 total 3"},
			{"", [][2]uint32{{5, 1}}, docset.Set{}, "1 5 2 3 4 total 5"},
			{"red -fox", [][2]uint32{{1, 0}, {3, 0}}, docset.Set{}, "1 3 4 2 total 4"},
			{"nothing", [][2]uint32{{1, 4}}, docset.Set{}, "1 total 1"},
		} {
			o := options{limit: 20, filter: p.keep, filtered: !p.keep.Empty()}
			var pins []driver.Pin
			for _, pin := range p.pins {
				pins = append(pins, driver.Pin{Ordinal: pin[0], Position: pin[1]})
			}
			hits, r, counted := c.pinSearch(p.q, o, pins)
			var got []string
			for _, h := range hits {
				got = append(got, fmt.Sprint(h.Ordinal))
			}
			if s := fmt.Sprint(strings.Join(got, " "), " total ", r.Total); s != p.want || uint64(counted.Len()) != r.Total {
				t.Errorf("%q %v on %d shards: %s (%d counted), want %s", p.q, p.pins, shards, s, counted.Len(), p.want)
			}
			for i, h := range hits {
				if shown := string(h.Details.AppendJSON(nil, c.settings)); strings.Contains(shown, `"pin"`) != slices.ContainsFunc(pins, func(p driver.Pin) bool { return p.Ordinal == h.Ordinal }) {
					t.Errorf("hit %d: %s", i, shown)
				}
			}
		}
	}
}

// As in the reference, a pin behind the page keeps less important ones from it, unless there are
// fewer other hits than the page holds.
func TestAPinBehindThePageComesFirst(t *testing.T) {
	for _, c := range []struct {
		pins          [][2]uint32 // ordinal, position
		others, limit int
		want          string
	}{
		{[][2]uint32{{1, 40}, {2, 0}}, 9, 5, "[]"},
		{[][2]uint32{{2, 0}, {1, 40}}, 9, 5, "[2]"},
		{[][2]uint32{{1, 2}, {2, 1}}, 9, 5, "[2 1]"},
		{[][2]uint32{{1, 4}, {2, 0}}, 9, 5, "[1]"},
		{[][2]uint32{{1, 40}, {2, 0}}, 3, 5, "[2 1]"},
		{[][2]uint32{{1, 40}, {2, 0}}, 3, 4, "[1]"},
		{nil, 9, 5, "[]"},
	} {
		r := &driver.Ranked{}
		for _, p := range c.pins {
			r.Pinned = append(r.Pinned, driver.PinnedHit{Hit: driver.Hit{Ordinal: p[0]}, Position: p[1]})
		}
		var got []uint32
		for _, p := range r.Within(c.others, c.limit) {
			got = append(got, p.Ordinal)
		}
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%v among %d others, %d wanted: %s, want %s", c.pins, c.others, c.limit, s, c.want)
		}
	}
}

// A search with pins equals the search without them, minus the pinned documents, with these
// inserted at their positions.
func TestPinsRandom(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	words := []string{"red", "green", "fox", "hen", "whale"}
	for range 30 {
		var values []string
		for range 12 {
			values = append(values, words[rnd.IntN(5)]+" "+words[rnd.IntN(5)])
		}
		c := newCorpus(t, settings.Default(), texts(values...), 1+rnd.IntN(3))
		var pins []driver.Pin
		for _, ord := range rnd.Perm(12)[:rnd.IntN(4)] {
			pins = append(pins, driver.Pin{Ordinal: uint32(ord + 1), Position: uint32(rnd.IntN(6))})
		}
		q, o := words[rnd.IntN(5)]+" "+words[rnd.IntN(5)], options{limit: 100}
		hits, r, _ := c.pinSearch(q, o, pins)
		var others []string
		for _, h := range c.search(q, o).Hits {
			if !slices.ContainsFunc(pins, func(p driver.Pin) bool { return p.Ordinal == h.Ordinal }) {
				others = append(others, fmt.Sprint(h.Ordinal))
			}
		}
		sorted := slices.Clone(pins)
		slices.SortStableFunc(sorted, func(a, b driver.Pin) int { return int(a.Position) - int(b.Position) })
		want, at := others, -1
		for _, p := range sorted { // each pin pushes the rest on
			at = min(max(int(p.Position), at+1), len(want))
			want = slices.Insert(slices.Clone(want), at, fmt.Sprint(p.Ordinal))
		}
		var got []string
		for _, h := range hits {
			got = append(got, fmt.Sprint(h.Ordinal))
		}
		if !slices.Equal(got, want) || r.Total != uint64(len(want)) {
			t.Fatalf("seed %d: %q with %v in %q: %v (total %d), want %v", seed, q, pins, values, got, r.Total, want)
		}
	}
}
