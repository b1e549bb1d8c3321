package facet

import (
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/rows"
)

// Index is one immutable state of a shard as facets read it. Errors come from storage.
type Index interface {
	// Numbers and Strings iterate over the values of a field with their documents, in
	// ascending or descending order (strings by facet form), until f returns false.
	Numbers(fid uint16, desc bool, f func(v float64, docs docset.Set) bool) error
	Strings(fid uint16, desc bool, f func(form string, docs docset.Set) bool) error
	// StringForms iterates over the facet forms of a field in byte order until f
	// returns false. docs reads the documents of the form and is valid only during the
	// call.
	StringForms(fid uint16, f func(form string, docs func() (docset.Set, error)) bool) error
	// String returns the documents with one facet form.
	String(fid uint16, form string) (docset.Set, error)
	// Order says in which order the documents are.
	Order() *rows.Order
	// Values returns the value record of a document. ok is false if it has none.
	Values(ord uint32) (v record.Values, ok bool, err error)
}
