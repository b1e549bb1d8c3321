// Package listing answers the documents routes on one shard: it finds the
// documents of ids and a filter, brings them into listing order and renders them.
//
// List is the whole of it; the shard is seen through Index. Only as many
// documents are sorted as the answer can show: the first element of a sort list
// walks the facet table in its direction until enough documents were met.
// Rendering (projection, vectors) is that of package render.
//
// Functions hold no state and start no goroutine.
package listing
