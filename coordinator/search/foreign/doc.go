// Package foreign follows foreign keys, an experimental setting: a field of an index names
// documents of another one (spec search-api 7.7).
//
// The rendered hits of a page come in; they go out with the documents that their keys name in
// the place of the keys. Foreign conditions of a filter come in, too, and go out as lists of ids.
// Documents are read through package documents, within a bound on their bytes.
//
// Goroutines end before the call that started them does.
package foreign
