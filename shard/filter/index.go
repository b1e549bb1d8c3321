package filter

import (
	"context"

	"github.com/paulmach/orb"

	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/element"
	"shoal/shard/record"
)

// Index is one immutable state of a shard, as filters read it. Sets are of this
// shard's documents. An error is a failure of storage.
type Index interface {
	Settings() *settings.Settings
	// FieldID returns the id of a field known to the index (all its shards).
	FieldID(name string) (fid uint16, ok bool)
	// Live are all documents.
	Live() docset.Set
	// Exists, Null and Empty are the documents in which a faceted field stands at
	// all, with a null, or with "", [] or {} (spec ranking 2).
	Exists(fid uint16) (docset.Set, error)
	Null(fid uint16) (docset.Set, error)
	Empty(fid uint16) (docset.Set, error)
	// Number and String are the documents that have one value.
	Number(fid uint16, v float64) (docset.Set, error)
	String(fid uint16, form string) (docset.Set, error)
	// NumberRange is the union over the values from <= v <= to; StringRange over
	// the facet forms from <= v < to in byte order, to "" being no bound.
	NumberRange(fid uint16, from, to float64) (docset.Set, error)
	StringRange(fid uint16, from, to string) (docset.Set, error)
	// StringForms walks the facet forms of a field in byte order until f returns
	// false. docs reads the documents of the form and is valid during the call
	// only.
	StringForms(fid uint16, f func(form string, docs func() (docset.Set, error)) bool) error
	// Values returns the value record of a document; ok is false when it has none.
	Values(ord uint32) (v record.Values, ok bool, err error)
	// Within compares the `_geo` points of documents without reading them: those that are
	// surely in a circle, and those at its edge, which may be in it. ok is false if
	// reading n documents costs less.
	Within(ctx context.Context, c filter.GeoCircle, docs docset.Set, n int) (inside, edge docset.Set, ok bool, err error)
	// Touching returns those of some documents whose `_geojson` may have a point in one of
	// some bounds, in degrees, without reading them. ok is false if reading
	// all of them costs less.
	Touching(ctx context.Context, bounds []orb.Bound, docs docset.Set) (near docset.Set, ok bool, err error)
	// Elements are the objects of arrays with a value in a range; ElementsOf lists those
	// of a few documents, made from their texts.
	Elements(r *element.Range) (element.Set, error)
	ElementsOf(docs docset.Set) (*element.List, error)
	// Documents visits those of some stored documents that are there, in ascending
	// order: i is the place of one in ordinals, json its text, valid during the visit.
	// It ends with the first error of a visit.
	Documents(list []uint32, visit func(i int, json []byte) error) error
	// Vectors are the documents that a `_vectors` condition selects. The embedder,
	// when named, is configured.
	Vectors(v filter.FilterVector) (docset.Set, error)
}
