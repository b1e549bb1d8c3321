// Package fanout asks the shards of an index at the same time and makes one error
// of theirs. What comes in are the calls of package coordinator and of its driver;
// what goes out is the error that one shard with all documents would have had,
// whichever shard answered first. Ask is for the steps of a search, Group for calls of
// other kinds.
package fanout
