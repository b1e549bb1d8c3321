// Package codes keeps the codes of vectors (package vector) in files of the node, so that a
// restart finds them and blocks that have no room in memory need not be compared vector by
// vector.
//
// In come the newest versions of all shards, now and then (Keeper.Run); out go the sheets of
// blocks (Keeper.Read), to versions that were told of them (Keeper.Load). A block whose
// codes are in memory and have not changed for a while is written into a file that never
// changes. A list names the files of a shard and the delta that led to the version they
// hold for (list.go): if the shard is at another version after a start, none is used. Files
// are local to the node: no answer depends on them, nothing waits for them, and what is
// lost or damaged is made anew.
//
// It imports version, store and what these stand on; only package shard imports it.
package codes
