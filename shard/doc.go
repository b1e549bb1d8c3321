// Package shard keeps the shards of a node: one pebble store with documents,
// records and posting lists, the builder that turns a batch into a delta, the
// pending deltas, and the Views that searches read.
//
// # Way of a write
//
// Host.Build folds the operations of a batch (fold.go), works out each
// document's old and new records in parallel (feed.go, derive.go), collects the
// differences (collector.go), spills and merges them (run.go) into a delta
// (delta.go): a list of ops in key order, small ones one value, large ones table
// files. It is made durable as pending (pending.go), shipped to the other
// replicas (ship.go), and brought into effect when its commit is known: by
// Host.Publish or by a request that names its version (install.go).
//
// # Way of a read
//
// Host.View returns the exact version a request names: a core (core.go), that is
// a pebble snapshot with the live set, the dictionaries and settings in memory.
// A new core is derived from the one before and the delta's ops, so its cost
// follows the change. Decoded posting lists are cached across versions
// (cache.go).
//
// # Columns
//
// The columnist (columns.go), one goroutine per Host, makes the columns of
// frequent words that ranking reads instead of records (package rank): a block at
// a time, when a shard was left alone for a moment, of the newest version. They
// pass from version to version; documents that change are no longer covered until
// their block is made anew. They live in memory only, bounded by
// Options.ColumnBytes; no answer depends on them and nothing waits for them.
//
// # Keys
//
// keys.go has the schema: index . generation . shard . table, then what the
// table says. Posting lists are blocks of 2^16 ordinals whose values merge by
// "the last writer wins per ordinal" (operand.go), word counts add up. Text,
// facet and vector tables live in generations of their own: a settings change
// builds the next one and drops the old.
//
// # Vectors
//
// extract/vectors.go says which vectors a document keeps and which are wanted;
// the build asks Options.Embed for those, so that they are part of the delta.
// Searches scan blocks of decoded vectors (vector_block.go), shared by the
// versions that did not change them and bounded by Options.VectorBytes.
//
// # Vocabulary
//
// Ordinal: a document's u32 in its index. Block: ordinals with equal high
// halves. Group: 2^20 ordinals, which share the leading part of word keys.
// Delta: the change from one version of a shard to the next. Core: one version
// in memory; View: a counted handle on it.
//
// # Goroutines
//
// One janitor and one columnist per Host, ended by Close; a build's workers end with the build,
// shipping with Build. pebble runs its own.
package shard
