// Package columnist makes and keeps the columns of frequent words that ranking reads
// instead of records (package rank/columns), for all shards of a node.
//
// In come the versions of each shard as they follow one another (Keeper.Load,
// Keeper.Advance), out goes what each version reads (version.SetColumns). One goroutine
// (Run) makes columns of the documents of a block at a time, of the newest versions of all
// shards of an index, each time in a file of its own that never changes (file.go). Columns pass from version to
// version; documents that change are no longer covered until columns are made of them.
// What changed since is written down with each version (store/columns.go), so that a
// restart finds the columns again (log.go). They are read piece by piece through one
// cache of bounded size. They are local to the node: no answer depends on them, nothing
// waits for them, and a file that is lost or damaged is made anew.
//
// Another goroutine (Warm) reads the columns of shards that were loaded, and postings, from
// the disk before searches ask for them (warmer.go).
//
// It imports version, store and what these stand on; only package shard imports it.
package columnist
