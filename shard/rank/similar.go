package rank

import (
	"context"

	"shoal/shard/docset"
	"shoal/wire"
)

// targetOf looks up a document and its vectors.
func (s *Session) targetOf(step *wire.TargetStep) (*wire.TargetReply, error) {
	if s.vectors == nil {
		return nil, ErrOrder
	}
	r := &wire.TargetReply{}
	ord, ok, err := s.vectors.Ordinal(step.ID)
	if err != nil || !ok {
		return r, err
	}
	if step.Filter != nil {
		set, err := s.filter(step.Filter)
		if err != nil {
			return nil, err
		}
		if !set.Contains(ord) {
			return r, nil
		}
	}
	r.Found, r.Ordinal = true, ord
	r.Vectors, err = s.vectors.StoreVectors(step.Embedder, ord)
	return r, err
}

// nearest lists the neighbours of vectors among the universe.
func (s *Session) nearest(ctx context.Context, step *wire.NearestStep) (*wire.NearestReply, error) {
	if s.vectors == nil {
		return nil, ErrOrder
	}
	among := s.Found()
	if step.HasExcept {
		among = among.AndNot(docset.Of(step.Except))
	}
	r := &wire.NearestReply{Lists: make([][]wire.Streamed, len(step.Vectors))}
	for i, v := range step.Vectors {
		found, err := s.vectors.Distances(ctx, step.Embedder, v.Store, v.Vector, among)
		if err != nil {
			return nil, err
		}
		r.Lists[i] = nearest(found, step.Limit)
	}
	return r, nil
}
