// Package store defines the keys, values and files of a node's pebble store.
//
// In: ops (op.go) in key order and the heads of deltas. Out: iterators over a snapshot
// (iterators.go), and deltas. A small delta is one value, a large one table files in
// the staging folder beside the store (delta.go). sorted_run.go is the format of what
// builds spill before merging.
//
// keys.go defines the schema: index . generation . shard . table, then fields by table.
// Posting lists are blocks of 2^16 rows whose values merge by "the last writer wins
// per row" (operand.go); word counts add up. Text, facet and vector tables have
// generations of their own: a settings change builds the next generation and drops the
// old one.
//
// It does not know shards or versions, and may import docset, rows and wire.
package store
