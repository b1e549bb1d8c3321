package version

import (
	"github.com/paulmach/orb"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/rank/scope"
)

// placed is what columns of places are made of.
type placed struct {
	*Space
	*Reading
}

// Within compares the `_geo` points of documents without reading them. It returns those
// that are surely in a circle, and those at its edge, which may be in it. ok is false if
// that is not worthwhile.
func (r *Reading) Within(c filter.GeoCircle, docs docset.Set) (inside, edge docset.Set, ok bool, err error) {
	points, err := scope.Points(placed{r.space, r}, docs.Len())
	if points == nil || err != nil {
		return docset.Set{}, docset.Set{}, false, err
	}
	inside, edge = points.Within(c, docs)
	return inside, edge, true, nil
}

// Touching returns those of some documents whose `_geojson` may have a point in one of
// some bounds, without reading them. ok is false if that is not worthwhile.
func (r *Reading) Touching(bounds []orb.Bound, docs docset.Set) (near docset.Set, ok bool, err error) {
	boxes, err := scope.Boxes(placed{r.space, r}, docs.Len())
	if boxes == nil || err != nil {
		return docset.Set{}, false, err
	}
	return boxes.Touching(bounds, docs), true, nil
}
