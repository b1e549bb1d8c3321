// Package documents reads documents over all shards of an index: one by id, pages with filter
// and sort, and streams of all documents for dumps, exports and resharding.
//
// Reads use the catalogue at one version; when that version is gone, a read restarts once.
// Documents come in the order of the index, whatever the number of shards. Safe for concurrent
// use; goroutines end before the call does. This package may import replica, fanout, query and
// coordinator.
package documents
