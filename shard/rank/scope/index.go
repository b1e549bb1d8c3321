package scope

import (
	"context"

	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
	"shoal/shard/vector"
	"shoal/wire"
)

// Index is one immutable state of one shard, as ranking reads it. Methods are
// safe for concurrent use; returned sets are shared and immutable. Errors are
// those of the store.
type Index interface {
	// Schema says what the settings make of the fields; the same value every time.
	Schema() *Schema
	// Live are all documents.
	Live() docset.Set
	// Word and ExactWord are the documents with a tolerant, and with an exact
	// occurrence of the word (spec ranking 2).
	Word(w string) (docset.Set, error)
	ExactWord(w string) (docset.Set, error)
	// Prefix and ExactPrefix are the unions of Word and ExactWord over all words w
	// that start with prefix, up to and including last ("" is no limit).
	Prefix(prefix, last string) (docset.Set, error)
	ExactPrefix(prefix, last string) (docset.Set, error)
	// FieldCount are the documents whose field has n indexed tokens, 1 to 30.
	FieldCount(fid uint16, n int) (docset.Set, error)
	// Dictionary and ExactDictionary hold the words that Word and ExactWord know,
	// with the number of documents each has.
	Dictionary() *lexicon.Dictionary
	ExactDictionary() *lexicon.Dictionary
	// Tokens opens a reader of token records.
	Tokens() record.TokenReader
	// Values returns the value record of a document, valid for as long as the
	// Index is. ok is false when it has none.
	Values(ord uint32) (v record.Values, ok bool, err error)
	// Numbers and Strings walk the facet values of a field with their documents, in
	// ascending or descending order (strings by facet form), until f returns false.
	Numbers(fid uint16, desc bool, f func(v float64, docs docset.Set) bool) error
	Strings(fid uint16, desc bool, f func(v string, docs docset.Set) bool) error
	// Number and String are the documents with one value.
	Number(fid uint16, v float64) (docset.Set, error)
	String(fid uint16, v string) (docset.Set, error)
	// Documents visits those of some stored documents that are there, in ascending
	// order: i is the place of one in ordinals, json its text, valid during the visit.
	// It ends with the first error of a visit.
	Documents(ordinals []uint32, visit func(i int, json []byte) error) error
	// Columns tell where frequent words stand, nil when there are none yet.
	Columns() *columns.Columns
	// Memo keeps results that cost much and hold for this state of the shard; nil
	// keeps nothing.
	Memo() *Memo
}

// Filter evaluates the JSON of a filter on one state of a shard.
type Filter func(ctx context.Context, json []byte) (docset.Set, error)

// Vectors is what one immutable state of a shard knows about the vectors of its
// documents. Methods are safe for concurrent use; errors are those of the store
// and of ctx.
type Vectors interface {
	// Ordinal returns the document with an external id.
	Ordinal(id string) (ord uint32, ok bool, err error)
	// StoreVectors returns what an embedder has for a document.
	StoreVectors(embedder string, ord uint32) ([]wire.StoreVector, error)
	// Nearest returns those documents of among whose vectors of the embedder in the
	// store (AnyStore: the nearest one) are nearest to target, by distance, then ordinal:
	// at least k (greater than 0), if so many have any. all tells that no others have.
	// The list belongs to the caller.
	Nearest(ctx context.Context, embedder string, store int, target []float32, among docset.Set, k int) (found []vector.Neighbour, all bool, err error)
}

// Schema is what the settings of an index make of its fields. Immutable.
type Schema struct {
	// fieldID maps names to ids.
	fieldID map[string]uint16
	// Weight holds the weight of each searchable field, -1 for the others, and
	// exact tells the fields whose words allow no typo.
	Weight    []int32
	exact     []bool
	MaxWeight uint32
	// AnyExact: some word may be exact at all.
	AnyExact bool
	// byAttribute: words are near each other when they share a field.
	byAttribute bool
}
