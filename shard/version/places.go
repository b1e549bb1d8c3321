package version

import (
	"context"

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

// Within implements filter.Index.
func (r *Reading) Within(ctx context.Context, c filter.GeoCircle, docs docset.Set, n int) (inside, edge docset.Set, ok bool, err error) {
	points, err := scope.Points(ctx, placed{r.space, r}, n)
	if points == nil || err != nil {
		return docset.Set{}, docset.Set{}, false, err
	}
	inside, edge = points.Within(c, docs)
	return inside, edge, true, nil
}

// Touching implements filter.Index.
func (r *Reading) Touching(ctx context.Context, bounds []orb.Bound, docs docset.Set) (near docset.Set, ok bool, err error) {
	boxes, err := scope.Boxes(ctx, placed{r.space, r}, docs.Len())
	if boxes == nil || err != nil {
		return docset.Set{}, false, err
	}
	return boxes.Touching(bounds, docs), true, nil
}
