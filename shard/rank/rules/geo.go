package rules

import (
	"cmp"
	"context"
	"math"
	"slices"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// GeoChunk is the least number of documents that are sorted by distance at once. It
// changes no answer; tests set it lower.
var GeoChunk = 256

// geoStream lists the documents with a point by whole metres from the rule's point,
// then by ordinal. Descending is the reverse list (spec ranking 9). The driver groups
// them. Until they leave the shard, they have rows in place of ordinals.
type geoStream struct {
	s    *scope.Scope
	desc bool
	from filter.GeoPoint
	docs docset.Set
	// points, if not nil, finds the next documents without reading the others.
	points *scope.PointColumn
	// edge is the metre up to which all documents have been listed: exclusive if
	// ascending, inclusive if descending.
	edge  int64
	asked int
	left  []wire.Streamed
	all   bool
}

func newGeoStream(ctx context.Context, s *scope.Scope, l *scope.Level) (*geoStream, error) {
	from := filter.GeoPoint{Lat: l.Start.Rule.Lat, Lng: l.Start.Rule.Lng}
	it := &geoStream{s: s, desc: l.Start.Rule.Desc, from: from, docs: l.Base}
	if it.desc {
		it.edge = math.MaxInt64
	}
	points, err := scope.Points(ctx, s.Index, l.Base.Len())
	if err == nil && points != nil && points.Fits(l.Base) {
		it.points = points
	}
	return it, err
}

// Next is not used: streams have no buckets.
func (it *geoStream) Next(context.Context, int) (scope.Bucket, bool, error) {
	return scope.Bucket{}, false, nil
}

func (it *geoStream) Empty() bool { return it.all && len(it.left) == 0 }

// More returns the next n documents.
func (it *geoStream) More(ctx context.Context, n int) ([]wire.Streamed, error) {
	for len(it.left) < n && !it.all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := it.gather(n); err != nil {
			return nil, err
		}
	}
	n = min(n, len(it.left))
	out := it.left[:n:n]
	it.left = it.left[n:]
	return out, nil
}

// gather lists the next documents: about n, each time twice as many, or all.
func (it *geoStream) gather(n int) error {
	if it.points == nil {
		it.all = true
		return it.list(it.docs.AppendTo(nil), it.last())
	}
	it.asked = max(n, GeoChunk, 2*it.asked)
	// The farthest documents are the nearest ones to the opposite point.
	to, passed := it.from, float64(it.edge)
	if it.desc {
		to = filter.GeoPoint{Lat: -to.Lat, Lng: to.Lng + 180}
		passed = halfway - passed
	}
	rows, reach, all := it.points.Nearest(to, it.docs, passed, it.asked)
	it.all = all
	switch {
	case all:
		return it.list(rows, it.last())
	case it.desc:
		return it.list(rows, min(it.edge, int64(halfway-reach)+1))
	}
	return it.list(rows, max(it.edge, int64(reach)))
}

// halfway is the distance of opposite points in metres.
const halfway = math.Pi * filter.EarthRadius

// last is the edge behind all documents.
func (it *geoStream) last() int64 {
	if it.desc {
		return math.MinInt64
	}
	return math.MaxInt64
}

// list reads the places of rows. It lists those between the present edge and the next
// one.
func (it *geoStream) list(rows []uint32, next int64) error {
	var found []wire.Streamed
	low, high := it.edge, next
	if it.desc {
		low, high = high, low
	}
	for _, row := range rows {
		v, _, err := it.s.Index.Values(row)
		if err != nil {
			return err
		}
		if p, ok := v.Point(); ok {
			point := filter.GeoPoint{Lat: p.Lat, Lng: p.Lng}
			distance := filter.GeoDistance(it.from, point)
			if metre := int64(distance); metre >= low && metre < high {
				found = append(found, wire.Streamed{Ordinal: row, Point: point, Distance: distance})
			}
		}
	}
	order := it.s.Index.Order()
	slices.SortFunc(found, func(a, b wire.Streamed) int {
		return cmp.Or(cmp.Compare(int64(a.Distance), int64(b.Distance)), order.Compare(a.Ordinal, b.Ordinal))
	})
	if it.desc {
		slices.Reverse(found)
	}
	it.left, it.edge = append(it.left, found...), next
	return nil
}
