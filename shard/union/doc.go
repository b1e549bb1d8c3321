// Package union reads several shards of one index on one node as if they were one.
// Ordinals are unique in an index and its shards have no common documents, so their
// posting lists, columns, dictionaries and documents can be united, and a search
// queries them together instead of one by one.
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
