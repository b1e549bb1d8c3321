package version

import (
	"context"
	"encoding/binary"
	"slices"

	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/render"
	"shoal/shard/store"
	"shoal/shard/vector"
	"shoal/wire"
)

// StoreVectors returns the vectors of a document by store.
func (s *Space) StoreVectors(embedder string, ord uint32) ([]wire.StoreVector, error) {
	list, err := s.recorded(ord)
	if err != nil {
		return nil, err
	}
	var out []wire.StoreVector
	for k := range list {
		if e := &list[k]; e.Name == embedder {
			for i := range e.Len() {
				out = append(out, wire.StoreVector{Store: e.Store(i), Vector: e.Vector(i)})
			}
		}
	}
	return out, nil
}

// Nearest compares vectors (see scope.Vectors).
func (s *Space) Nearest(ctx context.Context, embedder string, store int, target []float32, among docset.Set, k int) (found []vector.Neighbour, all bool, err error) {
	search := vector.NewSearch(embedder, vector.NewQuery(store, target), k)
	for i, part := range s.parts {
		if err := search.Scan(ctx, part.vectors, s.shared.Vectors, part, uint32(s.bases[i])<<16, s.own(i, among)); err != nil {
			return nil, false, err
		}
	}
	return search.Finish(ctx, s.order().Compare)
}

// Vectors returns the documents that a `_vectors` condition selects (spec search-api
// 7.7), for the named embedder or for any.
func (r *Reading) Vectors(condition filter.FilterVector) (docset.Set, error) {
	store := -1
	if condition.Kind == filter.VectorFragment {
		store = slices.Index(filter.EmbedderFragments(r.settings, condition.Embedder.Value), condition.Fragment.Value)
		if store < 0 {
			return docset.Set{}, nil
		}
	}
	var out docset.Builder
	var sets []docset.Set
	for _, part := range r.space.parts {
		if err := part.selected(&out, condition, store, r.settings); err != nil {
			return docset.Set{}, err
		}
		sets = append(sets, out.Set())
		out = docset.Builder{}
	}
	return docset.Joined(sets, r.space.bases), nil
}

// selected adds the documents that a `_vectors` condition selects.
func (c *Version) selected(out *docset.Builder, condition filter.FilterVector, store int, settings *settings.Settings) error {
	selection := &vector.Selection{Kind: condition.Kind, Store: store, Embedder: func(name string) bool {
		if condition.Named && condition.Embedder.Value != name {
			return false
		}
		return condition.Kind != filter.VectorDocumentTemplate || len(filter.EmbedderFragments(settings, name)) == 0
	}}
	for n := range c.vectors.Len() {
		if err := c.vectors.Select(n, c.shared.Vectors, c, selection, out.Add); err != nil {
			return err
		}
	}
	return nil
}

// walkBelow is the largest gap between rows that is read instead of skipped.
const walkBelow = 8

// VisitVectors reads rows in key order (see vector.Source).
func (c *Version) VisitVectors(list []uint32, visit func(ord uint32, stored []byte) error) error {
	if len(list) == 0 {
		return nil
	}
	prefix := c.keys.Prefix(nil, store.TableVector)
	it := c.Borrow(prefix)
	defer c.GiveBack(it)
	key := c.keys.Row(nil, store.TableVector, list[0])
	more := it.SeekGE(key)
	for more {
		ord := binary.BigEndian.Uint32(it.Key()[len(prefix):])
		for len(list) > 0 && list[0] < ord {
			list = list[1:]
		}
		if len(list) == 0 {
			break
		}
		if list[0] == ord {
			stored, err := it.ValueAndErr()
			if err != nil {
				return err
			}
			if err := visit(ord, stored); err != nil {
				return err
			}
			if list = list[1:]; len(list) == 0 {
				break
			}
		}
		if list[0]-ord <= walkBelow {
			more = it.Next()
			continue
		}
		binary.BigEndian.PutUint32(key[len(prefix):], list[0])
		more = it.SeekGE(key)
	}
	return it.Error()
}

// recorded returns the embeddings of a document, by embedder name.
func (s *Space) recorded(ord uint32) ([]record.Embedding, error) {
	raw, err := s.StoredEmbeddings(ord)
	if err != nil || raw == nil {
		return nil, err
	}
	return record.ParseEmbeddings(raw)
}

// StoredEmbeddings returns all embeddings of a document in stored form.
func (s *Space) StoredEmbeddings(ord uint32) ([]byte, error) {
	at, own := s.owner(ord)
	part := s.parts[at]
	raw, _, err := part.get(part.keys.Row(nil, store.TableVector, own))
	return raw, err
}

// Embeddings returns the vectors of a document by embedder, sorted by name. Vectors
// whose dimensions differ from the embedder's present ones are not shown, because they
// can be neither compared nor imported. They reappear with the old dimensions.
func (r *Reading) Embeddings(ord uint32) ([]render.Embedding, error) {
	list, err := r.space.recorded(ord)
	if err != nil {
		return nil, err
	}
	dimensions := r.known().dimensions
	out := make([]render.Embedding, 0, len(list))
	for k := range list {
		e := &list[k]
		shown := render.Embedding{Name: e.Name, Regenerate: e.Regenerate}
		if want := dimensions[e.Name]; want != 0 && e.Dimensions != want {
			out = append(out, shown)
			continue
		}
		if e.Quantized {
			showBits(e.Values)
		}
		for i := range e.Len() {
			shown.Vectors = append(shown.Vectors, e.Vector(i))
		}
		out = append(out, shown)
	}
	return out, nil
}

// showBits converts a quantized vector to what clients see: bits, 1 and 0.
func showBits(values []float32) {
	for i, x := range values {
		values[i] = max(x, 0)
	}
}
