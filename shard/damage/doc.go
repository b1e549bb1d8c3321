// Package damage knows what a node's disk lost: which shards are damaged, which of them
// were emptied to be replaced by a copy, and which store was set aside as a whole.
//
// In: errors of readers, and what the catalogue says of other copies. Out: the errors
// that callers get instead, whether a shard may be read here, and the list of shards
// that need a copy. Notes on disk survive a crash. Package shard repairs; node sets an
// unreadable store aside.
package damage
