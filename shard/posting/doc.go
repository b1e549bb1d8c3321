// Package posting caches decoded posting lists across the versions of shards.
//
// In: lists that a version read from the store, and the ops of the deltas that lead to
// the next versions. Out: the lists of the newest version of each line. Package version
// has a line for each shard, package union one for shards that are read as one.
package posting
