package listing

import (
	"shoal/shard/docset"
	"shoal/shard/filter"
	"shoal/shard/render"
	"shoal/shard/rows"
)

// Index is one immutable state of a shard as listings read it. Errors come from
// storage.
type Index interface {
	filter.Index
	// Fields returns the field map of the index.
	Fields() []string
	// Row finds a document by its external id.
	Row(id string) (row uint32, ok bool, err error)
	// Order says in which order the documents are.
	Order() *rows.Order
	// Numbers and Strings iterate over the values of a field with their documents, in
	// ascending or descending order (strings by facet form), until f returns false.
	Numbers(fid uint16, desc bool, f func(v float64, docs docset.Set) bool) error
	Strings(fid uint16, desc bool, f func(form string, docs docset.Set) bool) error
	// Embeddings is as in render.Source.
	Embeddings(ord uint32) ([]render.Embedding, error)
	// StoredEmbeddings returns the vectors of a document in stored form.
	StoredEmbeddings(ord uint32) ([]byte, error)
}
