// Package projection selects members of JSON objects by dotted names, as the
// `fields` of documents routes and the attributesToRetrieve of searches do (spec
// write-api 9.5, search-api 3.5), and renders them as clients see them.
//
// Of compiles the names, Append renders a stored document. Everything is
// immutable and safe for concurrent use.
package projection
