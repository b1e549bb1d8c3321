// Package codes stores the codes of vectors (package vector) in files of the node, so
// that a restart finds them, and blocks without room in memory need not be compared
// vector by vector.
//
// In: the newest versions of all shards, periodically (Keeper.Run). Out: the sheets of
// blocks (Keeper.Read), for versions that know them (Keeper.Load). A block whose codes
// are in memory and have not changed for a while is written to a file that never
// changes. A list names the files of a shard and the delta of their version (list.go);
// if the shard is at another version after a start, none is used. Files are local to
// the node: no answer depends on them, nothing waits for them, and lost or damaged
// codes are computed again.
//
// It imports version, store and what these import. Only package shard imports it.
package codes
