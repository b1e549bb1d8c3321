// Package facets puts the facet counts of shards together: the driver of a
// search asks every shard for its part and gets one answer, equal to what one
// shard with all documents would give (spec ranking 11.3).
//
// Distribution adds up the parts of one facet, orders and cuts; Missing names
// strings whose label no shard has sent yet. Search does the same for a facet
// search. Numbers and strings stay apart until the final list.
//
// Pure functions over messages of package wire; no goroutines.
package facets
