package vector

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"shoal/shard/record"
)

// Search finds the k documents nearest to a vector. Scan uses codes to rule out most
// documents of each table; then Finish compares the vectors of the rest.
type Search struct {
	embedder string
	query    *Query
	k        int
	scans    []scanned

	// most has upper bounds of the distances of documents, half those by the upper halves of
	// codes alone; each document is at most once in either. bits is the least k-th one. No
	// document with a greater distance is among the k nearest.
	mu         sync.Mutex
	most, half leastOf
	bits       atomic.Uint32
	// passed means that some document was ruled out.
	passed atomic.Bool
}

// scanned is the result of scanning one table.
type scanned struct {
	source     Source
	base       uint32 // the first row of the table
	candidates []candidate
}

// candidate is a document that may be near, with a lower bound of its distance.
type candidate struct {
	Neighbour
	exact bool // the bound is its distance
}

// NewSearch starts a search for the k > 0 documents, or all if there are fewer, whose
// vectors of an embedder are nearest to the query.
func NewSearch(embedder string, query *Query, k int) *Search {
	s := &Search{embedder: embedder, query: query, k: k}
	s.bits.Store(math.Float32bits(float32(math.Inf(1))))
	return s
}

// limit returns the greatest distance that may matter. It never rises.
func (s *Search) limit() float32 { return math.Float32frombits(s.bits.Load()) }

// offer records an upper bound of a document's distance.
func (s *Search) offer(most float32) { s.offerTo(&s.most, most) }

// offerHalf records an upper bound by the upper halves of codes alone.
func (s *Search) offerHalf(most float32) { s.offerTo(&s.half, most) }

func (s *Search) offerTo(list *leastOf, most float32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kth, full := list.add(most, s.k); full {
		s.bits.Store(math.Float32bits(min(s.limit(), kth)))
	}
}

// leastOf is a max-heap of the least numbers that were added.
type leastOf []float32

// add adds a number to the k least ones. full means that there are k, and kth is the greatest
// of them.
func (l *leastOf) add(x float32, k int) (kth float32, full bool) {
	h := *l
	if len(h) < k {
		h = append(h, x)
		for i := len(h) - 1; i > 0 && h[(i-1)/2] < h[i]; i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
	} else if x < h[0] {
		h[0] = x
		for i := 0; ; {
			c := 2*i + 1
			if c+1 < len(h) && h[c+1] > h[c] {
				c++
			}
			if c >= len(h) || h[c] <= h[i] {
				break
			}
			h[i], h[c] = h[c], h[i]
			i = c
		}
	}
	*l = h
	return h[0], len(h) == k
}

// finishAtOnce is how many documents one goroutine reads at a time.
const finishAtOnce = 16

// Finish returns the nearest documents by distance, then in the order of compare, which
// gets their rows: at least k if that many have vectors. all means that no other
// document has any.
func (s *Search) Finish(ctx context.Context, compare func(a, b uint32) int) (found []Neighbour, all bool, err error) {
	limit := s.limit()
	var mu sync.Mutex
	for _, scan := range s.scans {
		var inexact []uint32
		for _, c := range scan.candidates {
			switch {
			case c.Distance > limit:
				s.passed.Store(true)
			case c.exact:
				found = append(found, Neighbour{scan.base + c.Row, c.Distance})
			default:
				inexact = append(inexact, c.Row)
			}
		}
		err := each(ctx, len(inexact), finishAtOnce, func(ctx context.Context, lo, hi int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var read []Neighbour
			err := s.distances(scan.source, inexact[lo:hi], func(n Neighbour) { read = append(read, Neighbour{scan.base + n.Row, n.Distance}) })
			mu.Lock()
			defer mu.Unlock()
			found = append(found, read...)
			return err
		})
		if err != nil {
			return nil, false, err
		}
	}
	near := slices.DeleteFunc(found, func(n Neighbour) bool { return n.Distance > limit })
	slices.SortFunc(near, func(a, b Neighbour) int { return cmp.Or(cmp.Compare(a.Distance, b.Distance), compare(a.Row, b.Row)) })
	return near, !s.passed.Load() && len(near) == len(found), nil
}

// Query is the vector of a search.
type Query struct {
	store  int
	values []float32
	norm   float32
	code   *queryCode
	bits   []uint64
	// stored and storedBits are the vector in both stored forms.
	stored, storedBits []byte
}

// NewQuery prepares a vector for comparison. store is AnyStore or the number of a
// store.
func NewQuery(store int, target []float32) *Query {
	norm := record.Norm(target)
	return &Query{
		store: store, values: target, norm: norm, code: newQueryCode(target, norm), bits: record.AppendBits(nil, target),
		stored: record.AppendStored(nil, target), storedBits: record.AppendStoredBits(nil, target),
	}
}

func (q *Query) distanceStored(e *record.StoredEmbedding, i int) float32 {
	v := e.Vector(i)
	if e.Quantized {
		return record.HammingStored(v, q.storedBits)
	}
	return record.CosineStored(v, q.stored, record.NormStored(v), q.norm)
}
