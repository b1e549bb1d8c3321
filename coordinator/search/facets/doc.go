// Package facets merges the facet counts of shards. The driver of a search asks every shard for
// its part and gets one answer, equal to that of a single shard with all documents (spec
// ranking 11.3).
//
// Distribution adds up the parts of one facet, sorts them and applies the limit. Missing names
// the strings whose label no shard has sent yet. Search does the same for a facet search.
// Numbers and strings stay separate until the final list.
//
// Pure functions over messages of package wire; no goroutines.
package facets
