// Package union reads several shards of one index on one node as if they were one:
// ordinals are unique in an index and its shards have no document in common, so their
// posting lists, columns, dictionaries and documents can be united, and a search asks
// them together what it would else ask each of them.
//
// In come versions of shards (package version): Keeper.Find returns the State that is
// kept of them, Keeper.Unite makes one, out of the one before where it is known what has
// changed. Keeper.Installing is told of every change of a shard, so that kept posting
// lists of a State are those of its versions. Out goes a View, in the shape that package
// session asks for. The answers are those that one shard with all the documents would
// give.
//
// Words: a line is the states of the same shards of an index, one after the other; the
// parts of a state are its versions, one for each shard.
//
// A State is immutable and counted, like a version: Views and the Keeper hold it, and it
// holds its parts. No goroutines; everything but a View's readers is safe for concurrent
// use.
package union
