// Package fanout asks the shards of an index concurrently and combines their errors. Its
// callers are package coordinator and its driver. They get the error that one shard with all
// documents would have had, whichever shard answered first. Ask is for the steps of a search,
// Group for other calls.
package fanout
