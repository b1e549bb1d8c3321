// Package union reads several shards of one index on one node as if they were one.
// The rows of one shard follow those of another, so their posting lists and columns are
// one after the other, too, and a search queries all shards together instead of one by
// one.
//
// In: versions of shards (package version). Keeper.Find returns a cached State of them.
// Keeper.Unite creates one, from the previous one if the changes are known.
// Keeper.Installing is called for every change of a shard, so that the cached posting
// lists of a State match its versions. Out: a View, in the form that package session
// needs. Answers are those of one shard with all the documents.
//
// Vocabulary: a line is the sequence of states of the same shards of an index. The
// parts of a state are its versions, one per shard.
//
// A State is immutable and reference counted, like a version: Views and the Keeper hold
// references, and it holds its parts. No goroutines. Everything except a View's readers
// is safe for concurrent use.
package union
