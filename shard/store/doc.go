// Package store keeps the keys, values and files of the one pebble store of a
// node.
//
// In come ops (op.go) in key order and the heads of deltas; out go iterators over a
// snapshot (iterators.go), and deltas: small ones as one value, large ones as table
// files in the staging folder beside the store (delta.go). sorted_run.go holds what
// a build spills before it is merged.
//
// keys.go has the schema: index . generation . shard . table, then what the table
// says. Posting lists are blocks of 2^16 ordinals whose values merge by "the last
// writer wins per ordinal" (operand.go), word counts add up. Text, facet and vector
// tables live in generations of their own: a settings change builds the next one
// and drops the old.
//
// It knows no shard and no version, and may import docset and wire.
package store
