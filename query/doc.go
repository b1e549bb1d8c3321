// Package query is the words of a search before any shard is involved: terms, the graph of
// a query, and the fields it may match in.
//
// In: the text of a query and the settings (Lexis). Out: weighted terms and the graph of
// the ways to read them, which the search driver completes with the words of the index.
// Below it lies filter, the languages of filters and sorts; above it rule, the ranking
// rules. An attribute or field is a dotted path; a pattern is a name with a `*` at its
// start, end or both.
//
// Everything here is immutable once built and safe for concurrent use. The package starts
// no goroutine. May import filter, text and api.
package query
