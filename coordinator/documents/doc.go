// Package documents reads documents over all shards of an index: one by id, pages
// with filter and sort, streams of everything (dumps, exports, resharding), and
// scans for what an edit or a new embedder must touch.
//
// In: requests, and the catalogue at one version; a version that is gone restarts
// a read once. Out: documents in the order of the index, whatever the number of
// shards. Safe for concurrent use; goroutines end before the call does. May import
// replica, fanout, query and coordinator.
package documents
