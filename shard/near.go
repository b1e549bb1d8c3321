package shard

import (
	"context"

	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/shard/record"
	"shoal/wire"
)

// StoreVectors returns the vectors of a document by store.
func (v *View) StoreVectors(embedder string, ord uint32) ([]wire.StoreVector, error) {
	list, err := v.Embeddings(ord)
	if err != nil {
		return nil, err
	}
	var out []wire.StoreVector
	for k := range list {
		if e := &list[k]; e.Name == embedder {
			for i := range e.Len() {
				out = append(out, wire.StoreVector{Store: i, Vector: e.Vector(i)})
			}
		}
	}
	return out, nil
}

// Distances compares vectors (see rank.Vectors).
func (v *View) Distances(ctx context.Context, embedder string, store int, target []float32, among docset.Set) ([]rank.Near, error) {
	var out []rank.Near
	var failed error
	norm := record.Norm(target)
	err := v.EachEmbedded(func(ord uint32, list []record.Embedding) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		if !among.Contains(ord) {
			return true
		}
		for k := range list {
			e := &list[k]
			if e.Name != embedder {
				continue
			}
			best, has := float32(0), false
			for i := range e.Len() {
				if store != rank.AnyStore && i != store {
					continue
				}
				u := e.Vector(i)
				if d := record.Cosine(u, target, record.Norm(u), norm); !has || d < best {
					best, has = d, true
				}
			}
			if has {
				out = append(out, rank.Near{Ordinal: ord, Distance: best})
			}
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return out, err
}
