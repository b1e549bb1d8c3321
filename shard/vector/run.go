package vector

import (
	"slices"

	"shoal/shard/record"
)

// chunk is how many vectors are multiplied at a time, unless a document has more.
const chunk = 256

// run compares documents of a column, chunk by chunk.
type run struct {
	column   *Column
	search   *Search
	products []int32 // of the chunk
	near     []int32 // the vectors of the chunk that are not ruled out at once
	out      *[]candidate
	rest     *[]loose
	passed   bool // some document was ruled out
}

// scan compares the given documents of the column. Those that need lower halves which are not
// in memory go to rest.
func (c *Column) scan(s *Search, rows []uint32, out *[]candidate, rest *[]loose) {
	r := run{column: c, search: s, products: make([]int32, 0, chunk), near: make([]int32, 0, chunk), out: out, rest: rest}
	for i := 0; i < len(c.ords) && len(rows) > 0; {
		switch first := rows[0]; {
		case c.ords[i] < first:
			n, _ := slices.BinarySearch(c.ords[i:min(len(c.ords), i+int(first-c.ords[i]))], first)
			i += n
		case c.ords[i] > first:
			rows = rows[1:]
		default:
			n := c.together(i, rows)
			r.compare(i, i+n)
			i, rows = i+n, rows[n:]
		}
	}
	if r.passed {
		s.passed.Store(true)
	}
}

// together returns how many documents from the i-th on match the first rows one by one and fit
// into a chunk, at least one.
func (c *Column) together(i int, rows []uint32) int {
	n := min(chunk, len(rows), len(c.ords)-i)
	if gap := uint32(n - 1); rows[n-1]-rows[0] != gap || c.ords[i+n-1]-c.ords[i] != gap {
		for k := 1; k < n; k++ {
			if rows[k] != c.ords[i+k] {
				n = k
			}
		}
	}
	for n > 1 && c.from[i+n]-c.from[i] > chunk {
		n /= 2
	}
	return n
}

// compare compares the documents [lo, hi) of the column.
func (r *run) compare(lo, hi int) {
	c, q := r.column, r.search.query
	first, last := c.from[lo], c.from[hi]
	if !c.quantized && q.code != nil {
		r.products = slices.Grow(r.products[:0], int(last-first))[:last-first]
		dotNibbles(q.code.leading, c.upper[int(first)*c.half:int(last)*c.half], r.products)
		if q.store == AnyStore {
			r.compareNear(lo, hi)
			return
		}
	}
	limit := r.search.limit()
	for i := lo; i < hi; i++ {
		limit = r.document(i, first, limit)
	}
}

// compareNear is compare for vectors of any store, whose products are known.
func (r *run) compareNear(lo, hi int) {
	c, q := r.column, r.search.query
	first, limit := c.from[lo], r.search.limit()
	r.near = c.sift(q, first, r.products, limit, r.near[:0])
	documents, next := 0, lo
	for _, n := range r.near {
		k := first + uint32(n)
		if k < c.from[next] {
			continue // its document was compared for another vector
		}
		i := min(lo+int(n), hi-1) // the document, unless some have several vectors
		if c.from[i] != k {
			i, _ = slices.BinarySearch(c.from[next:hi+1], k+1)
			i += next - 1
		}
		limit = r.document(i, first, limit)
		documents, next = documents+1, i+1
	}
	if documents < hi-lo {
		r.passed = true
	}
}

// document compares a document. first is the first vector of the chunk. It returns the limit
// of the search, which was limit.
func (r *run) document(i int, first uint32, limit float32) float32 {
	c, s, q := r.column, r.search, r.search.query
	compared, final, least, most := false, true, nearest{}, nearest{}
	for k := int(c.from[i]); k < int(c.from[i+1]); k++ {
		if q.store != AnyStore && int(c.stores[k]) != q.store {
			continue
		}
		compared = true
		if c.quantized {
			if d := record.Hamming(c.bits[k*c.words:(k+1)*c.words], q.bits); d <= limit {
				least.add(d)
				most.add(d)
			}
			continue
		}
		if l, m, last, ok := c.boundsOf(q, k, r.product(k, first), limit); ok {
			least.add(l)
			most.add(m)
			final = final && last
		}
	}
	switch {
	case least.has && !final:
		*r.rest = append(*r.rest, loose{i, least.distance})
		s.offerHalf(most.distance)
	case least.has:
		*r.out = append(*r.out, candidate{Neighbour{c.ords[i], least.distance}, least.distance == most.distance})
		s.offer(most.distance)
	default:
		r.passed = r.passed || compared
		return limit
	}
	return s.limit()
}

// product returns the product of the query and the upper half of a code, if the query has one.
func (r *run) product(k int, first uint32) int32 {
	if r.search.query.code == nil {
		return 0
	}
	return r.products[k-int(first)]
}

// boundsOf returns bounds of the distance of a vector by what is in memory. upper is as for
// product. final means that no lower half says more. ok is false if the distance is certainly
// greater than limit.
func (c *Column) boundsOf(q *Query, k int, upper int32, limit float32) (least, most float32, final, ok bool) {
	switch {
	case q.code != nil && c.far(q, k, upper, limit):
		return 0, 0, false, false
	case c.isHalved():
		return c.upperBounds(q, k, upper, limit)
	}
	least, most, ok = c.bounds(q, k, upper, c.lower[k*c.half:(k+1)*c.half], limit)
	return least, most, true, ok
}
