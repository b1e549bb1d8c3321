package rank

import (
	"context"

	"shoal/shard/docset"
	"shoal/shard/rank/rules"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// targetOf looks up a document and its vectors.
func (s *Ranker) targetOf(ctx context.Context, step *wire.TargetStep) (*wire.TargetReply, error) {
	if s.Vectors == nil {
		return nil, scope.ErrOrder
	}
	r := &wire.TargetReply{}
	ord, ok, err := s.Vectors.Ordinal(step.ID)
	if err != nil || !ok {
		return r, err
	}
	if step.Filter != nil {
		set, err := s.filter(ctx, step.Filter)
		if err != nil {
			return nil, err
		}
		if !set.Contains(ord) {
			return r, nil
		}
	}
	r.Found, r.Ordinal = true, ord
	r.Vectors, err = s.Vectors.StoreVectors(step.Embedder, ord)
	return r, err
}

// nearest lists the neighbours of vectors in the universe.
func (s *Ranker) nearest(ctx context.Context, step *wire.NearestStep) (*wire.NearestReply, error) {
	if s.Vectors == nil {
		return nil, scope.ErrOrder
	}
	among := s.Found()
	if step.HasExcept {
		among = among.AndNot(docset.Of(step.Except))
	}
	r := &wire.NearestReply{Lists: make([][]wire.Streamed, len(step.Vectors))}
	for i, v := range step.Vectors {
		found, _, err := s.Vectors.Nearest(ctx, step.Embedder, v.Store, v.Vector, among, max(step.Limit, 1))
		if err != nil {
			return nil, err
		}
		r.Lists[i] = rules.Streamed(found[:max(0, min(step.Limit, len(found)))])
	}
	return r, nil
}
