package rules

import (
	"context"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/shard/vector"
	"shoal/wire"
)

// vectorStream lists the documents with a vector by distance from that of the
// search, then by ordinal (spec ranking 8.3). The driver groups them.
type vectorStream struct{ left nearHeap }

// newVectorStream compares the documents of a level. At the outermost level the
// distances stay in the scope: a level that starts anew only loses documents.
func newVectorStream(ctx context.Context, s *scope.Scope, l *scope.Level) (*vectorStream, error) {
	if s.Vectors == nil {
		return nil, scope.ErrOrder
	}
	known := s.Near
	if known == nil {
		var err error
		if known, err = s.Vectors.Distances(ctx, s.Embedder, vector.AnyStore, s.Target, l.Base); err != nil {
			return nil, err
		}
		if l.Outermost {
			s.Near = known
			known = slices.Clone(known)
		}
	} else {
		known = within(known, l.Base)
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

// Next is not used: streams have no buckets.
func (it *vectorStream) Next(int) (scope.Bucket, bool, error) { return scope.Bucket{}, false, nil }

func (it *vectorStream) Empty() bool { return len(it.left) == 0 }

// More gives out the next n documents.
func (it *vectorStream) More(n int) []wire.Streamed { return it.left.take(n) }

// Nearest returns the first n of some neighbours, which it puts into another order.
func Nearest(found []vector.Neighbour, n int) []wire.Streamed {
	h := nearHeap(found)
	h.init()
	return h.take(n)
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
