// Package listing answers the documents routes on one shard: it finds the documents of
// ids and a filter, sorts them into listing order and renders them.
//
// List is the only entry; the shard is seen through Index. Only as many documents are
// sorted as the answer can show: for the first element of a sort list, the facet table
// is read in its direction until enough documents are found. Package render does the
// rendering (projection, vectors).
//
// Functions hold no state and start no goroutine.
package listing
