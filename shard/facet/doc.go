// Package facet counts the facet values of the documents of one shard.
//
// Count answers a FacetsStep. Of a facet with many values, those that come first are read
// until there are enough. Few candidates are counted from their value records in
// one pass, many by intersecting the sets of the values; a table with far more values
// than candidates falls back to the records. A facet that is counted often is inverted
// once per state of the shard (Columns): documents with the same list of values are
// counted together. Labels finds the spelling of a value in its lowest document, Search
// answers a facet search. Columns keep the facet-search forms of their values sorted, and
// the labels that were needed. Every answer is one shard's part; coordinator/search/facets
// adds up the parts, sorts and cuts them.
//
// The shard is seen through Index. Functions hold no state between calls and start no
// goroutine.
package facet
