// Package query is what a search asks, before any shard is involved: the filter
// and sort languages, facet requests, attribute patterns and geometry (pure
// functions over texts, settings and field names), and the terms and graph of a
// query.
//
// A filter enters at ParseFilter, is checked against the settings by
// CheckFilterable, and leaves as a tree that shards evaluate (shard/filter). A
// sort list enters at ParseSort and CheckSort. Errors carry the exact texts of
// the public interface; the caller adds the code of its route.
//
// Vocabulary: an attribute or field is a dotted path; a pattern is a name with a
// `*` at its start, end or both; the facet form of a string is its normalised
// spelling in filters, sorts and facets (spec ranking 1.11).
//
// Everything here is immutable once built and safe for concurrent use; the
// package starts no goroutine.
package query
