package documents

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/sync/errgroup"

	"shoal/coordinator/fanout"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// Bounds of one page of a scan.
const (
	scanPageBytes = 4 << 20
	scanPageMost  = 4096
	scanPageLeast = 16
)

// Scan calls visit with every document of an index that matches a filter (JSON as the client
// sent it, nil for all), in the order of ordinals over all its shards. Documents are complete,
// as for a new upload: vectors are in `_vectors`. visit may keep the slice.
//
// Scan reads the version that x names. When batches make that version unavailable, it continues
// with the newest one: every document that stays in the index is visited once, in its state at
// that time. It returns the number of documents that matched at first. It holds about two pages
// in memory, and 4 bytes for each document with a filter.
func (d *Documents) Scan(ctx context.Context, x *wire.Index, filter []byte, visit func(doc []byte) error) (matched uint64, err error) {
	s := &scan{Documents: d, index: x, filter: filter}
	if err := s.open(ctx); err != nil {
		return 0, err
	}
	for _, live := range s.live {
		matched += live.GetCardinality()
	}
	return matched, s.run(ctx, visit)
}

// scan is one call of Scan.
type scan struct {
	*Documents
	index  *wire.Index
	filter []byte
	live   map[uint16]*roaring.Bitmap // the ordinals to read, by shard number
}

// open determines the ordinals to read. If the version is already gone, it uses the newest one.
func (s *scan) open(ctx context.Context) error {
	for {
		err := s.survey(ctx)
		if !errors.Is(err, wire.ErrGone) || !s.renew() {
			return err
		}
	}
}

// renew switches to the newest version; false when there is no newer one.
func (s *scan) renew() bool {
	x, ok := s.log.Catalog().IndexByID(s.index.ID)
	if !ok || x.Version == s.index.Version {
		return false
	}
	s.index = x
	return true
}

func (s *scan) survey(ctx context.Context) error {
	found := make([]*roaring.Bitmap, len(s.index.Shards))
	group, ctx := fanout.WithContext(ctx)
	for i := range s.index.Shards {
		group.Go(func() (err error) {
			found[i], err = s.surveyShard(ctx, &s.index.Shards[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	s.live = make(map[uint16]*roaring.Bitmap, len(found))
	for i, live := range found {
		s.live[s.index.Shards[i].Number] = live
	}
	return nil
}

func (s *scan) surveyShard(ctx context.Context, shard *wire.Shard) (*roaring.Bitmap, error) {
	live := roaring.New()
	if s.index.Version == 0 {
		return live, nil
	}
	if s.filter != nil {
		reply, err := s.ask(ctx, s.index, shard, wire.ListRequest{Filter: s.filter, KeysOnly: true, Limit: 1<<31 - 1})
		if err != nil {
			return nil, err
		}
		for i := range reply.Documents {
			live.Add(reply.Documents[i].Ordinal)
		}
		return live, nil
	}
	pin := replica.PinNewest(s.index, shard)
	reply, err := replica.Ask(ctx, s.shards, s.self, shard, func(node wire.NodeID) (*wire.ResolveReply, error) {
		return s.shards.Resolve(ctx, node, &wire.ResolveRequest{
			Key: pin.Key, SlotLo: shard.SlotLo, SlotHi: shard.SlotHi, Base: pin.Version, PrimaryKey: pin.PrimaryKey, WantLive: true,
		})
	})
	if err != nil {
		return nil, err
	}
	return live, live.UnmarshalBinary(reply.Live)
}

// pageSize returns the number of documents in a page of about scanPageBytes.
func (s *scan) pageSize() int {
	var bytes, documents uint64
	for i := range s.index.Stats {
		bytes += s.index.Stats[i].RawBytes
		documents += s.index.Stats[i].Documents
	}
	if bytes == 0 {
		return scanPageMost
	}
	return int(max(scanPageLeast, min(scanPageMost, documents*scanPageBytes/bytes)))
}

// vectors tells whether documents may have vectors.
func (s *scan) vectors() bool {
	return len(s.index.DecodedSettings().Embedders) > 0 || slices.Contains(s.index.Fields, "_vectors")
}

// withoutEmptyVectors removes the member that a listing with vectors adds to documents without
// any.
func withoutEmptyVectors(doc []byte) []byte {
	for _, tail := range []string{`,"_vectors":{}}`, `"_vectors":{}}`} {
		if rest, ok := bytes.CutSuffix(doc, []byte(tail)); ok {
			return append(rest, '}')
		}
	}
	return doc
}

// run visits page after page, and reads the next one at the same time.
func (s *scan) run(ctx context.Context, visit func([]byte) error) error {
	all := roaring.New()
	for _, live := range s.live {
		all.Or(live)
	}
	vectors := s.vectors()
	pages := make(chan []wire.Document, 1)
	group, ctx := errgroup.WithContext(ctx)
	read := func() error {
		defer close(pages)
		it := all.ManyIterator()
		ordinals := make([]uint32, s.pageSize())
		for n := it.NextMany(ordinals); n > 0; n = it.NextMany(ordinals) {
			page, err := s.page(ctx, ordinals[:n])
			if err != nil {
				return err
			}
			select {
			case pages <- page:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
	write := func() error {
		for page := range pages {
			for i := range page {
				doc := page[i].JSON
				if vectors {
					doc = withoutEmptyVectors(doc)
				}
				if err := visit(doc); err != nil {
					return err
				}
			}
		}
		return nil
	}
	group.Go(func() error { return wire.Catch(read) })
	group.Go(func() error { return wire.Catch(write) })
	return group.Wait()
}

// page reads the documents of the given ascending ordinals.
func (s *scan) page(ctx context.Context, ordinals []uint32) ([]wire.Document, error) {
	for {
		docs, err := s.pageAt(ctx, ordinals)
		if !errors.Is(err, wire.ErrGone) || !s.renew() {
			return docs, err
		}
	}
}

func (s *scan) pageAt(ctx context.Context, ordinals []uint32) ([]wire.Document, error) {
	parts := make([][]wire.Document, len(s.index.Shards))
	group, ctx := fanout.WithContext(ctx)
	for i := range s.index.Shards {
		mine := ordinals
		// After renew the shards may have changed; a new shard is asked for all ordinals.
		if live, known := s.live[s.index.Shards[i].Number]; known && len(s.live) > 1 {
			mine = slices.DeleteFunc(slices.Clone(ordinals), func(o uint32) bool { return !live.Contains(o) })
		}
		if len(mine) == 0 {
			continue
		}
		group.Go(func() error {
			reply, err := s.ask(ctx, s.index, &s.index.Shards[i], wire.ListRequest{
				Ordinals: mine, HasOrdinals: true, RetrieveVectors: s.vectors(),
			})
			if err == nil {
				parts[i] = reply.Documents
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	docs := slices.Concat(parts...)
	slices.SortFunc(docs, func(a, b wire.Document) int { return int(int64(a.Ordinal) - int64(b.Ordinal)) })
	return docs, nil
}
