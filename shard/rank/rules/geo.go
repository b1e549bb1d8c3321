package rules

import (
	"cmp"
	"context"
	"slices"

	"shoal/query/filter"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// geoStream lists the documents with a point by whole metres from the rule's point,
// then by ordinal. Descending is the reverse list (spec ranking 9). The driver groups
// them. Until they leave the shard, they have rows in place of ordinals.
type geoStream struct{ left []wire.Streamed }

func newGeoStream(s *scope.Scope, l *scope.Level) (*geoStream, error) {
	rule := &l.Start.Rule
	from := filter.GeoPoint{Lat: rule.Lat, Lng: rule.Lng}
	it := new(geoStream)
	var err error
	l.Base.Each(func(row uint32) bool {
		v, ok, fault := s.Index.Values(row)
		if fault != nil {
			err = fault
			return false
		}
		if !ok {
			return true
		}
		if p, ok := v.Point(); ok {
			point := filter.GeoPoint{Lat: p.Lat, Lng: p.Lng}
			it.left = append(it.left, wire.Streamed{Ordinal: row, Point: point, Distance: filter.GeoDistance(from, point)})
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	order := s.Index.Order()
	slices.SortFunc(it.left, func(a, b wire.Streamed) int {
		return cmp.Or(cmp.Compare(int64(a.Distance), int64(b.Distance)), order.Compare(a.Ordinal, b.Ordinal))
	})
	if rule.Desc {
		slices.Reverse(it.left)
	}
	return it, nil
}

// Next is not used: streams have no buckets.
func (it *geoStream) Next(int) (scope.Bucket, bool, error) { return scope.Bucket{}, false, nil }

func (it *geoStream) Empty() bool { return len(it.left) == 0 }

// More returns the next n documents.
func (it *geoStream) More(_ context.Context, n int) ([]wire.Streamed, error) {
	n = min(n, len(it.left))
	out := it.left[:n:n]
	it.left = it.left[n:]
	return out, nil
}
