package rank

import (
	"context"

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
	row, ok, err := s.Vectors.Row(step.ID)
	if err != nil || !ok {
		return r, err
	}
	if step.Filter != nil {
		set, err := s.filter(ctx, step.Filter)
		if err != nil {
			return nil, err
		}
		if !set.Contains(row) {
			return r, nil
		}
	}
	r.Found, r.Ordinal = true, s.Index.Order().Ordinal(row)
	r.Vectors, err = s.Vectors.StoreVectors(step.Embedder, row)
	return r, err
}

// nearest lists the neighbours of vectors in the universe.
func (s *Ranker) nearest(ctx context.Context, step *wire.NearestStep) (*wire.NearestReply, error) {
	if s.Vectors == nil {
		return nil, scope.ErrOrder
	}
	among := s.Found()
	if step.HasExcept {
		among = among.AndNot(s.Index.Order().Set([]uint32{step.Except}))
	}
	r := &wire.NearestReply{Lists: make([][]wire.Streamed, len(step.Vectors))}
	for i, v := range step.Vectors {
		found, _, err := s.Vectors.Nearest(ctx, step.Embedder, v.Store, v.Vector, among, max(step.Limit, 1))
		if err != nil {
			return nil, err
		}
		r.Lists[i] = s.streamed(rules.Streamed(found[:max(0, min(step.Limit, len(found)))]))
	}
	return r, nil
}
