// Package listing answers the documents routes on one shard: it finds the documents of
// ids and a filter, sorts them into listing order and renders them.
//
// List is the only entry; the shard is seen through Index. Only documents that the answer
// can show are sorted: for each element of a sort list, the facet table is read in its
// direction until the end of the page, and groups of equal values before the page are
// counted and skipped. Package render does the rendering (projection, vectors).
//
// Functions hold no state and start no goroutine.
package listing
