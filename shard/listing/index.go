package listing

import (
	"shoal/shard/docset"
	"shoal/shard/filter"
)

// Index is one immutable state of a shard, as listings read it. An error is a
// failure of storage.
type Index interface {
	filter.Index
	// Fields is the field map of the index.
	Fields() []string
	// Ordinal finds a document by its external id.
	Ordinal(id string) (ord uint32, ok bool, err error)
	// Numbers and Strings walk the values of a field with their documents, in
	// ascending or descending order (strings by facet form), until f returns false.
	Numbers(fid uint16, desc bool, f func(v float64, docs docset.Set) bool) error
	Strings(fid uint16, desc bool, f func(form string, docs docset.Set) bool) error
	// Embeddings returns the vectors of a document by the configured embedders that
	// know it, sorted by name.
	Embeddings(ord uint32) ([]Embedding, error)
}

// Embedding is what one embedder has for a document.
type Embedding struct {
	Name       string
	Regenerate bool
	Vectors    [][]float32
}
