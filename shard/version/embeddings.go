package version

import (
	"cmp"
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

// Distances compares vectors (see scope.Vectors): all those of among, whatever
// their number.
func (s *Space) Distances(ctx context.Context, embedder string, store int, target []float32, among docset.Set) ([]vector.Neighbour, error) {
	query := vector.NewQuery(store, target)
	var all []vector.Neighbour
	for _, part := range s.parts {
		found, err := vector.Distances(ctx, part.vectors.Len(), part.vectorRows, embedder, query, among)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = found
		} else {
			all = append(all, found...)
		}
	}
	if len(s.parts) > 1 {
		slices.SortFunc(all, func(a, b vector.Neighbour) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	}
	return all, nil
}

// Vectors returns the documents that a `_vectors` condition selects (spec
// search-api 7.7): of the embedder named, or of any.
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
	return docset.Union(sets...), nil
}

// selected adds the documents that a `_vectors` condition selects.
func (c *Version) selected(out *docset.Builder, condition filter.FilterVector, store int, settings *settings.Settings) error {
	for n := range c.vectors.Len() {
		rows, err := c.vectorRows(n)
		if err != nil {
			return err
		}
		for key, column := range rows.Columns {
			if condition.Named && condition.Embedder.Value != key.Embedder {
				continue
			}
			fragments := condition.Kind == filter.VectorDocumentTemplate && len(filter.EmbedderFragments(settings, key.Embedder)) > 0
			if !fragments {
				column.Selects(condition.Kind, store, out.Add)
			}
		}
	}
	return nil
}

// Rows returns the rows of a block, from memory or from the store.
func (c *Version) vectorRows(number int) (*vector.Rows, error) {
	return c.vectors.Rows(number, c.shared.Vectors, c.readVectorRows)
}

func (c *Version) readVectorRows(number uint32) (*vector.Rows, error) {
	rows := vector.NewRows()
	prefix := c.keys.Prefix(nil, store.TableVector)
	it := c.Borrow()
	defer c.GiveBack(it)
	for more := it.SeekGE(c.keys.Ordinal(nil, store.TableVector, number<<vector.Shift)); more && store.TablePrefixed(it.Key(), prefix); more = it.Next() {
		ord := binary.BigEndian.Uint32(it.Key()[len(prefix):])
		if ord>>vector.Shift != number {
			break
		}
		raw, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		list, err := record.ParseEmbeddings(raw)
		if err != nil {
			return nil, err
		}
		for i := range list {
			rows.Add(ord, &list[i])
		}
	}
	rows.Seal()
	return rows, it.Error()
}

// recorded returns what the configured embedders have for a document, by name.
func (s *Space) recorded(ord uint32) ([]record.Embedding, error) {
	raw, err := s.StoredEmbeddings(ord)
	if err != nil || raw == nil {
		return nil, err
	}
	return record.ParseEmbeddings(raw)
}

// StoredEmbeddings returns all that embedders have for a document, in stored form.
func (s *Space) StoredEmbeddings(ord uint32) ([]byte, error) {
	part := s.owner(ord)
	if part == nil {
		return nil, nil
	}
	raw, _, err := part.get(part.keys.Ordinal(nil, store.TableVector, ord))
	return raw, err
}

// Embeddings returns the vectors of a document by embedder, sorted by name. Vectors
// that were given for other dimensions than the embedder has now do not show: they
// can neither be compared nor be given again. They return with the dimensions.
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

// showBits turns a quantized vector into what clients see of it: the bits, 1 and 0.
func showBits(values []float32) {
	for i, x := range values {
		values[i] = max(x, 0)
	}
}
