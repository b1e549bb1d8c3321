package version

import (
	"context"
	"encoding/binary"
	"slices"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/render"
	"shoal/shard/store"
	"shoal/shard/vector"
	"shoal/wire"
)

// StoreVectors returns the vectors of a document by store.
func (v *View) StoreVectors(embedder string, ord uint32) ([]wire.StoreVector, error) {
	list, err := v.recorded(ord)
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

// Distances compares vectors (see rank.Vectors): all those of among, whatever
// their number.
func (v *View) Distances(ctx context.Context, embedder string, store int, target []float32, among docset.Set) ([]vector.Neighbour, error) {
	return vector.Distances(ctx, v.Version.vectors.Len(), v.vectorRows, embedder, vector.NewQuery(store, target), among)
}

// Vectors returns the documents that a `_vectors` condition selects (spec
// search-api 7.7): of the embedder named, or of any.
func (v *View) Vectors(condition filter.FilterVector) (docset.Set, error) {
	store := -1
	if condition.Kind == filter.VectorFragment {
		store = slices.Index(filter.EmbedderFragments(v.settings, condition.Embedder.Value), condition.Fragment.Value)
		if store < 0 {
			return docset.Set{}, nil
		}
	}
	var out docset.Builder
	for n := range v.Version.vectors.Len() {
		rows, err := v.vectorRows(n)
		if err != nil {
			return docset.Set{}, err
		}
		for key, column := range rows.Columns {
			if condition.Named && condition.Embedder.Value != key.Embedder {
				continue
			}
			fragments := condition.Kind == filter.VectorDocumentTemplate && len(filter.EmbedderFragments(v.settings, key.Embedder)) > 0
			if !fragments {
				column.Selects(condition.Kind, store, out.Add)
			}
		}
	}
	return out.Set(), nil
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
func (v *View) recorded(ord uint32) ([]record.Embedding, error) {
	raw, ok, err := v.get(v.keys.Ordinal(nil, store.TableVector, ord))
	if err != nil || !ok {
		return nil, err
	}
	return record.ParseEmbeddings(raw)
}

// StoredEmbeddings returns all that embedders have for a document, in stored form.
func (v *View) StoredEmbeddings(ord uint32) ([]byte, error) {
	raw, _, err := v.get(v.keys.Ordinal(nil, store.TableVector, ord))
	return raw, err
}

// EachEmbedded walks the documents that have an entry for some embedder, by
// ordinal, until f returns false. The list belongs to f.
func (v *View) EachEmbedded(f func(ord uint32, list []record.Embedding) bool) error {
	prefix := v.keys.Prefix(nil, store.TableVector)
	it := v.Borrow()
	defer v.GiveBack(it)
	for more := it.SeekGE(prefix); more && store.TablePrefixed(it.Key(), prefix); more = it.Next() {
		raw, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		list, err := record.ParseEmbeddings(raw)
		if err != nil {
			return err
		}
		if !f(binary.BigEndian.Uint32(it.Key()[len(prefix):]), list) {
			return nil
		}
	}
	return it.Error()
}

// Embeddings returns the vectors of a document by embedder, sorted by name. Vectors
// that were given for other dimensions than the embedder has now do not show: they
// can neither be compared nor be given again. They return with the dimensions.
func (v *View) Embeddings(ord uint32) ([]render.Embedding, error) {
	list, err := v.recorded(ord)
	if err != nil {
		return nil, err
	}
	dimensions := v.known().dimensions
	out := make([]render.Embedding, 0, len(list))
	for k := range list {
		e := &list[k]
		r := render.Embedding{Name: e.Name, Regenerate: e.Regenerate}
		if want := dimensions[e.Name]; want != 0 && e.Dimensions != want {
			out = append(out, r)
			continue
		}
		if e.Quantized {
			showBits(e.Values)
		}
		for i := range e.Len() {
			r.Vectors = append(r.Vectors, e.Vector(i))
		}
		out = append(out, r)
	}
	return out, nil
}

// showBits turns a quantized vector into what clients see of it: the bits, 1 and 0.
func showBits(values []float32) {
	for i, x := range values {
		values[i] = max(x, 0)
	}
}
