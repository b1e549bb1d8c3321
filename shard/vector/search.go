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

// Search looks for the k documents nearest to a vector. It is scanned over tables, which
// by their codes rule out most documents, then Finish compares the vectors of the others.
type Search struct {
	embedder string
	query    *Query
	k        int
	scans    []scanned

	// most holds, as a heap with the greatest first, the k least of the distances within
	// which some document lies for certain; bits are those of the k-th, +Inf until there
	// are so many. No document whose distance is greater is among the k nearest.
	mu   sync.Mutex
	most []float32
	bits atomic.Uint32
	// passed tells that some document was ruled out.
	passed atomic.Bool
}

// scanned is what a scan of one table left.
type scanned struct {
	source     Source
	candidates []candidate
}

// candidate is a document that may be near, with the least distance it can have.
type candidate struct {
	Neighbour
	exact bool // it has that distance
}

// NewSearch begins a search for k documents, or all if they are fewer, whose vectors of
// an embedder are nearest to that of the query. k is greater than 0.
func NewSearch(embedder string, query *Query, k int) *Search {
	s := &Search{embedder: embedder, query: query, k: k}
	s.bits.Store(math.Float32bits(float32(math.Inf(1))))
	return s
}

// limit is the greatest distance that may matter. It only falls.
func (s *Search) limit() float32 { return math.Float32frombits(s.bits.Load()) }

// offer tells that a document lies within a distance.
func (s *Search) offer(most float32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.most) < s.k {
		s.most = append(s.most, most)
		for i := len(s.most) - 1; i > 0 && s.most[(i-1)/2] < s.most[i]; i = (i - 1) / 2 {
			s.most[i], s.most[(i-1)/2] = s.most[(i-1)/2], s.most[i]
		}
	} else if most < s.most[0] {
		s.most[0] = most
		for i := 0; ; {
			c := 2*i + 1
			if c+1 < len(s.most) && s.most[c+1] > s.most[c] {
				c++
			}
			if c >= len(s.most) || s.most[c] <= s.most[i] {
				break
			}
			s.most[i], s.most[c] = s.most[c], s.most[i]
			i = c
		}
	}
	if len(s.most) == s.k {
		s.bits.Store(math.Float32bits(s.most[0]))
	}
}

// finishAtOnce is how many documents one goroutine reads at a time.
const finishAtOnce = 16

// Finish returns the nearest documents by distance, then ordinal: at least k if so many
// have vectors. all tells that no other document has any.
func (s *Search) Finish(ctx context.Context) (found []Neighbour, all bool, err error) {
	limit := s.limit()
	var mu sync.Mutex
	for _, scan := range s.scans {
		var inexact []uint32
		for _, c := range scan.candidates {
			switch {
			case c.Distance > limit:
				s.passed.Store(true)
			case c.exact:
				found = append(found, c.Neighbour)
			default:
				inexact = append(inexact, c.Ordinal)
			}
		}
		err := each(ctx, len(inexact), finishAtOnce, func(ctx context.Context, lo, hi int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var read []Neighbour
			err := s.distances(scan.source, inexact[lo:hi], func(n Neighbour) { read = append(read, n) })
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
	slices.SortFunc(near, Neighbour.compare)
	return near, !s.passed.Load() && len(near) == len(found), nil
}

// compare orders neighbours by distance, then by ordinal.
func (n Neighbour) compare(o Neighbour) int {
	return cmp.Or(cmp.Compare(n.Distance, o.Distance), cmp.Compare(n.Ordinal, o.Ordinal))
}

// Query is the vector that others are compared with.
type Query struct {
	store  int
	values []float32
	norm   float32
	code   *queryCode
	bits   []uint64
	// stored and storedBits are the same as vectors are stored.
	stored, storedBits []byte
}

// NewQuery prepares a vector to compare others with; store is AnyStore or the number of one.
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
