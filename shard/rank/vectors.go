package rank

import (
	"context"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/vector"
	"shoal/wire"
)

// Vectors is what one immutable state of a shard knows about the vectors of its
// documents. Methods are safe for concurrent use; errors are those of the store
// and of ctx.
type Vectors interface {
	// Ordinal returns the document with an external id.
	Ordinal(id string) (ord uint32, ok bool, err error)
	// StoreVectors returns what an embedder has for a document.
	StoreVectors(embedder string, ord uint32) ([]wire.StoreVector, error)
	// Distances compares the documents of among that have a vector of the embedder
	// in the store (AnyStore: the nearest one) with target, and returns them by
	// ordinal. The list belongs to the caller.
	Distances(ctx context.Context, embedder string, store int, target []float32, among docset.Set) ([]vector.Neighbour, error)
}

// vectorStream lists the documents with a vector by distance from that of the
// search, then by ordinal (spec ranking 8.3). The driver groups them.
type vectorStream struct{ left nearHeap }

// newVectorStream compares the documents of a level. At the outermost level the
// distances stay in the session: a level that starts anew only loses documents.
func newVectorStream(ctx context.Context, s *Session, l *level) (*vectorStream, error) {
	if s.vectors == nil {
		return nil, ErrOrder
	}
	known := s.near
	if known == nil {
		var err error
		if known, err = s.vectors.Distances(ctx, s.embedder, vector.AnyStore, s.target, l.base); err != nil {
			return nil, err
		}
		if len(s.levels) > 0 && s.levels[0] == l {
			s.near = known
			known = slices.Clone(known)
		}
	} else {
		known = within(known, l.base)
	}
	it := &vectorStream{left: known}
	it.left.init()
	return it, nil
}

// within picks the neighbours of a set.
func within(all []vector.Neighbour, set docset.Set) []vector.Neighbour {
	var out []vector.Neighbour
	for _, n := range all {
		if set.Contains(n.Ordinal) {
			out = append(out, n)
		}
	}
	return out
}

// next is not used: streams have no buckets.
func (it *vectorStream) next(int) (bucket, bool, error) { return bucket{}, false, nil }

func (it *vectorStream) empty() bool { return len(it.left) == 0 }

// more gives out the next n documents.
func (it *vectorStream) more(n int) []wire.Streamed { return it.left.take(n) }

// target looks up a document and its vectors.
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
		h := nearHeap(found)
		h.init()
		r.Lists[i] = h.take(step.Limit)
	}
	return r, nil
}

// nearHeap is a heap of documents, the nearest one first.
type nearHeap []vector.Neighbour

func (h nearHeap) less(i, j int) bool {
	if h[i].Distance != h[j].Distance {
		return h[i].Distance < h[j].Distance
	}
	return h[i].Ordinal < h[j].Ordinal
}

func (h nearHeap) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

func (h nearHeap) sink(i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h.less(c+1, c) {
			c++
		}
		if !h.less(c, i) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// take removes the nearest n documents, in order.
func (h *nearHeap) take(n int) []wire.Streamed {
	n = min(n, len(*h))
	out := make([]wire.Streamed, n)
	for i := range out {
		top := (*h)[0]
		out[i] = wire.Streamed{Ordinal: top.Ordinal, Distance: float64(top.Distance)}
		last := len(*h) - 1
		(*h)[0] = (*h)[last]
		*h = (*h)[:last]
		h.sink(0)
	}
	return out
}
