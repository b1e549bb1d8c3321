package scope

import (
	"context"

	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
	"shoal/shard/rows"
	"shoal/shard/vector"
	"shoal/wire"
)

// Index is one immutable state of a shard as ranking reads it. Methods are safe for
// concurrent use. Returned sets are shared and immutable. Errors come from the store.
type Index interface {
	// Schema describes the fields under the settings. It returns the same value every
	// time.
	Schema() *Schema
	// Live returns all documents, by row. Order says in which order they are.
	Live() docset.Set
	Order() *rows.Order
	// Word and ExactWord return the documents with a tolerant or an exact occurrence of
	// the word (spec ranking 2).
	Word(w string) (docset.Set, error)
	ExactWord(w string) (docset.Set, error)
	// Prefix and ExactPrefix return the unions of Word and ExactWord over all words
	// that start with prefix, up to and including last ("" is no limit).
	Prefix(prefix, last string) (docset.Set, error)
	ExactPrefix(prefix, last string) (docset.Set, error)
	// FieldCount returns the documents whose field has n indexed tokens, 1 to 30.
	FieldCount(fid uint16, n int) (docset.Set, error)
	// Dictionaries returns the words of Word and those of ExactWord with their numbers of
	// documents.
	Dictionaries() (words, exact *lexicon.Dictionary, err error)
	// Tokens opens a reader of token records.
	Tokens() record.TokenReader
	// Values returns the value record of a document, valid as long as the Index. ok is
	// false if there is none.
	Values(ord uint32) (v record.Values, ok bool, err error)
	// Numbers and Strings iterate over the facet values of a field with their
	// documents, in ascending or descending order (strings by facet form), until f
	// returns false.
	Numbers(fid uint16, desc bool, f func(v float64, docs docset.Set) bool) error
	Strings(fid uint16, desc bool, f func(v string, docs docset.Set) bool) error
	// Number and String return the documents with one value.
	Number(fid uint16, v float64) (docset.Set, error)
	String(fid uint16, v string) (docset.Set, error)
	// Documents visits stored documents in ascending order and skips missing ones. i is
	// the document's index in list. json is its text, valid during the visit. The first
	// error of a visit ends it.
	Documents(list []uint32, visit func(i int, json []byte) error) error
	// Columns hold the positions of frequent words; nil if there are none yet.
	Columns() *columns.Columns
	// Memo caches costly results for this state of the shard. A nil Memo caches
	// nothing.
	Memo() *Memo
}

// Filter evaluates the JSON of a filter on one state of a shard.
type Filter func(ctx context.Context, json []byte) (docset.Set, error)

// Vectors reads the vectors of one immutable state of a shard. Methods are safe for
// concurrent use. Errors come from the store and from ctx.
type Vectors interface {
	// Row returns the document with an external id.
	Row(id string) (row uint32, ok bool, err error)
	// StoreVectors returns the vectors of a document for an embedder.
	StoreVectors(embedder string, ord uint32) ([]wire.StoreVector, error)
	// Nearest returns the documents of among that are nearest to target, by distance,
	// then ordinal. It compares the embedder's vectors in one store; with AnyStore the
	// nearest vector of a document counts. It returns at least k > 0 documents if that
	// many have vectors. all means that no others have any. The caller owns the list.
	Nearest(ctx context.Context, embedder string, store int, target []float32, among docset.Set, k int) (found []vector.Neighbour, all bool, err error)
}

// Schema describes the fields of an index under its settings. Immutable.
type Schema struct {
	// fieldID maps names to ids.
	fieldID map[string]uint16
	// Weight holds the weight of each searchable field, -1 for the others. exact marks
	// the fields whose words allow no typo.
	Weight    []int32
	exact     []bool
	MaxWeight uint32
	// AnyExact means that words may be exact at all.
	AnyExact bool
	// byAttribute means that words are near each other if they share a field.
	byAttribute bool
}
