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
	blocks := t.with(among)
	found, left := make([][]candidate, len(blocks)), make([]looseBlock, len(blocks))
	err := each(ctx, len(blocks), soloBlocks, func(ctx context.Context, lo, hi int) error {
		rows := make([]uint32, 0, min(among.Len(), 1<<Shift))
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows = appendRows(rows[:0], blocks[i], among)
			if err := s.scanBlock(t, blocks[i], rows, cache, source, &found[i], &left[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.readLower(ctx, cache, left, found)
	}
	s.scans = append(s.scans, scanned{source, base, slices.Concat(found...)})
	return err
}

// scanBlock compares the given documents of a block.
func (s *Search) scanBlock(t *Table, number int, documents []uint32, cache *Cache, source Source, found *[]candidate, left *looseBlock) error {
	rows, err := t.Rows(number, &need{s.embedder, len(s.query.values), documents}, cache, source)
	if err != nil {
		return err
	}
	if rows == nil {
		return s.scanStored(source, documents, found)
	}
	defer cache.release(rows)
	if column := rows.like(s.embedder, len(s.query.values)); column != nil {
		*left = looseBlock{block: t.blocks[number], file: rows.file, column: column}
		column.scan(s, documents, found, &left.documents)
		if rows.buffer != nil {
			s.copyLoose(cache, left, found)
		}
	}
	return nil
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

// with lists the blocks with rows of a set.
func (t *Table) with(set docset.Set) (blocks []int) {
	for i := range t.blocks {
		if set.HasRange(uint32(i)<<Shift, uint32(i+1)<<Shift) {
			blocks = append(blocks, i)
		}
	}
	return blocks
}

// appendRows appends the rows of a set that are in a block to buf and returns it.
func appendRows(buf []uint32, number int, set docset.Set) []uint32 {
	return set.AppendRange(buf, uint32(number)<<Shift, uint32(number+1)<<Shift)
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
