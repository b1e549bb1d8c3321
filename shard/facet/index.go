package facet

import (
	"shoal/shard/docset"
	"shoal/shard/record"
)

// Index is one immutable state of a shard, as facets read it. An error is a
// failure of storage.
type Index interface {
	// Numbers and Strings walk the values of a field with their documents, in
	// ascending or descending order (strings by facet form), until f returns false.
	Numbers(fid uint16, desc bool, f func(v float64, docs docset.Set) bool) error
	Strings(fid uint16, desc bool, f func(form string, docs docset.Set) bool) error
	// StringForms walks the facet forms of a field in byte order until f returns
	// false. docs reads the documents of the form and is valid during the call
	// only.
	StringForms(fid uint16, f func(form string, docs func() (docset.Set, error)) bool) error
	// String are the documents with one facet form.
	String(fid uint16, form string) (docset.Set, error)
	// Values returns the value record of a document; ok is false when it has none.
	Values(ord uint32) (v record.Values, ok bool, err error)
}
