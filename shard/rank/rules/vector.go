package rules

import (
	"context"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/shard/vector"
	"shoal/wire"
)

// vectorStream lists the documents with a vector by distance from the search's vector,
// then by ordinal (spec ranking 8.3). The driver groups them. It searches only as many
// as are requested, then twice as many.
type vectorStream struct {
	scope *scope.Scope
	level *scope.Level
	base  docset.Set
	// near are the nearest documents of base; the first `given` were returned. all
	// means that no others have vectors.
	near  []vector.Neighbour
	given int
	all   bool
}

// newVectorStream returns the stream of a level. The nearest documents of the outermost
// level stay in the scope, because a level that is restarted only loses documents.
func newVectorStream(s *scope.Scope, l *scope.Level) (*vectorStream, error) {
	if s.Vectors == nil {
		return nil, scope.ErrOrder
	}
	it := &vectorStream{scope: s, level: l, base: l.Base}
	if l.Outermost {
		it.near, it.all = within(s.Near, l.Base), s.NearAll
	}
	return it, nil
}

// within returns the neighbours in a set.
func within(near []vector.Neighbour, set docset.Set) []vector.Neighbour {
	return slices.DeleteFunc(slices.Clone(near), func(n vector.Neighbour) bool { return !set.Contains(n.Row) })
}

// Next is not used: streams have no buckets.
func (it *vectorStream) Next(context.Context, int) (scope.Bucket, bool, error) {
	return scope.Bucket{}, false, nil
}

func (it *vectorStream) Empty() bool { return it.all && it.given == len(it.near) }

// More returns the next n documents. The stream usually knows whether these are the
// last ones.
func (it *vectorStream) More(ctx context.Context, n int) ([]wire.Streamed, error) {
	if it.given+n > len(it.near) && !it.all {
		s := it.scope
		var err error
		it.near, it.all, err = s.Vectors.Nearest(ctx, s.Embedder, vector.AnyStore, s.Target, it.base, max(it.given+n, 2*len(it.near)))
		if err != nil {
			return nil, err
		}
		if it.level.Outermost {
			s.Near, s.NearAll = it.near, it.all
		}
	}
	out := Streamed(it.near[it.given:min(it.given+n, len(it.near))])
	it.given += len(out)
	return out, nil
}

// Streamed converts neighbours to stream items, which have rows in place of ordinals.
func Streamed(near []vector.Neighbour) []wire.Streamed {
	out := make([]wire.Streamed, len(near))
	for i, n := range near {
		out[i] = wire.Streamed{Ordinal: n.Row, Distance: float64(n.Distance)}
	}
	return out
}
