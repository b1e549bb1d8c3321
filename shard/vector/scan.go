package vector

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/wire"
)

// soloBlocks is how many blocks one goroutine compares before another one helps.
const soloBlocks = 4

// Scan compares the vectors of a table with the vector of the search, for the documents
// of among. It compares blocks concurrently and skips blocks without such documents.
// The tables of one search must be scanned one after the other. base is added to the
// rows of the table in the result.
func (s *Search) Scan(ctx context.Context, t *Table, cache *Cache, source Source, base uint32, among docset.Set) error {
	shares := t.shares(among)
	found, left := make([][]candidate, len(shares)), make([]looseBlock, len(shares))
	compare := func(ctx context.Context, lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows, err := t.Rows(shares[i].block, &need{s.embedder, len(s.query.values), shares[i].rows}, cache, source)
			if err != nil {
				return err
			}
			switch {
			case rows == nil:
				err = s.scanStored(source, shares[i].rows, &found[i])
			default:
				if column := rows.like(s.embedder, len(s.query.values)); column != nil {
					left[i] = looseBlock{block: t.blocks[shares[i].block], file: rows.file, column: column}
					column.scan(s, shares[i].rows, &found[i], &left[i].documents)
					if rows.buffer != nil {
						s.copyLoose(cache, &left[i], &found[i])
					}
				}
				cache.release(rows)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err := each(ctx, len(shares), soloBlocks, compare)
	if err == nil {
		err = s.readLower(ctx, cache, left, found)
	}
	s.scans = append(s.scans, scanned{source, base, slices.Concat(found...)})
	return err
}

// each calls do for ranges of size of n items, several concurrently.
func each(ctx context.Context, n, size int, do func(ctx context.Context, lo, hi int) error) error {
	if n <= size {
		return do(ctx, 0, n)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for lo := 0; lo < n; lo += size {
		group.Go(func() error {
			return wire.Catch(func() error { return do(ctx, lo, min(lo+size, n)) })
		})
	}
	return group.Wait()
}

// share is the part of a set in one block.
type share struct {
	block int
	rows  []uint32
}

// shares splits a set by the blocks of the table.
func (t *Table) shares(set docset.Set) (out []share) {
	rows := set.AppendTo(make([]uint32, 0, set.Len()))
	for len(rows) > 0 {
		block := int(rows[0] >> Shift)
		if block >= len(t.blocks) {
			break
		}
		last := uint32(block)<<Shift | (1<<Shift - 1)
		n, found := slices.BinarySearch(rows, last)
		if found {
			n++
		}
		out = append(out, share{block, rows[:n:n]})
		rows = rows[n:]
	}
	return out
}

// chunk is how many vectors are multiplied at a time.
const chunk = 256

// scan compares the given documents of the column. Those that need lower halves which are not
// in memory go to rest.
func (c *Column) scan(s *Search, rows []uint32, out *[]candidate, rest *[]loose) {
	products := make([]int32, chunk)
	for i := 0; i < len(c.ords) && len(rows) > 0; {
		switch first := rows[0]; {
		case c.ords[i] < first:
			n, _ := slices.BinarySearch(c.ords[i:min(len(c.ords), i+int(first-c.ords[i]))], first)
			i += n
		case c.ords[i] > first:
			rows = rows[1:]
		default:
			n := 1
			for i+n < len(c.ords) && n < len(rows) && rows[n] == c.ords[i+n] && c.from[i+n+1]-c.from[i] <= chunk {
				n++
			}
			products = c.scanRun(s, i, i+n, products, out, rest)
			i, rows = i+n, rows[n:]
		}
	}
}

// scanRun compares the documents [lo, hi) of the column. It returns products,
// reallocated if too short.
func (c *Column) scanRun(s *Search, lo, hi int, products []int32, out *[]candidate, rest *[]loose) []int32 {
	q, first, halved := s.query, int(c.from[lo]), c.isHalved()
	last, passed := int(c.from[hi]), false
	if !c.quantized && q.code != nil {
		products = slices.Grow(products[:0], last-first)[:last-first]
		dotNibbles(q.code.leading, c.upper[first*c.half:last*c.half], products)
	}
	limit := s.limit()
	for i := lo; i < hi; i++ {
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
			upper := int32(0)
			if q.code != nil {
				if upper = products[k-first]; c.far(q, k, upper, limit) {
					continue
				}
			}
			var l, m float32
			ok, last := false, true
			if halved {
				l, m, last, ok = c.upperBounds(q, k, upper, limit)
			} else {
				l, m, ok = c.bounds(q, k, upper, c.lower[k*c.half:(k+1)*c.half], limit)
			}
			if ok {
				least.add(l)
				most.add(m)
				final = final && last
			}
		}
		switch {
		case least.has && !final:
			*rest = append(*rest, loose{i, least.distance})
			s.offerHalf(most.distance)
			limit = s.limit()
		case least.has:
			*out = append(*out, candidate{Neighbour{c.ords[i], least.distance}, least.distance == most.distance})
			s.offer(most.distance)
			limit = s.limit()
		case compared:
			passed = true
		}
	}
	if passed {
		s.passed.Store(true)
	}
	return products
}

// scanStored compares documents by their stored vectors.
func (s *Search) scanStored(source Source, rows []uint32, out *[]candidate) error {
	return s.distances(source, rows, func(n Neighbour) {
		if n.Distance <= s.limit() {
			*out = append(*out, candidate{n, true})
			s.offer(n.Distance)
		} else {
			s.passed.Store(true)
		}
	})
}

// distances computes the distances of documents from the stored vectors.
func (s *Search) distances(source Source, rows []uint32, add func(Neighbour)) error {
	q := s.query
	var best nearest
	compare := func(e *record.StoredEmbedding) {
		if string(e.Name) != s.embedder || e.Dimensions != len(q.values) {
			return
		}
		for i := range e.Len() {
			if q.store == AnyStore || e.Store(i) == q.store {
				best.add(q.distanceStored(e, i))
			}
		}
	}
	return source.VisitVectors(rows, func(row uint32, stored []byte) error {
		best = nearest{}
		if err := record.EachStored(stored, compare); err != nil {
			return err
		}
		if best.has {
			add(Neighbour{Row: row, Distance: best.distance})
		}
		return nil
	})
}

// nearest is the least of the added distances.
type nearest struct {
	distance float32
	has      bool
}

func (n *nearest) add(d float32) {
	if !n.has || d < n.distance {
		n.distance, n.has = d, true
	}
}
