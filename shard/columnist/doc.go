// Package columnist builds and stores the columns of frequent words, which ranking
// reads instead of records (package rank/columns), for all shards of a node.
//
// In: the versions of each shard in sequence (Keeper.Load, Keeper.Advance). Out: the
// columns of each version (version.SetColumns). One goroutine (Run) builds columns of
// one block at a time, from the newest version of a shard. Each build
// writes a file of its own that never changes (file.go). Columns pass from version to
// version; changed documents are not covered until columns of them are built. The
// changes are recorded with each version (store/columns.go), so that a restart finds
// the columns again (log.go). Columns are read piece by piece through one bounded
// cache. They are local to the node: no answer depends on them, nothing waits for them,
// and a lost or damaged file is built again.
//
// Another goroutine (Warm) reads columns and postings of loaded shards from the disk
// before searches need them (warmer.go).
//
// It imports version, store and what these import. Only package shard imports it.
package columnist
