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
	return scope.Within(ctx, placed{r.space, r}, c, docs, n)
}

// Touching implements filter.Index.
func (r *Reading) Touching(ctx context.Context, bounds []orb.Bound, docs docset.Set) (near docset.Set, ok bool, err error) {
	return scope.Touching(ctx, placed{r.space, r}, bounds, docs)
}
