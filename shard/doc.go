// Package shard keeps the shards of a node: their replicas on one pebble store, the
// pending deltas, and the versions that searches read.
//
// # Packages
//
//   - store: keys, values and files
//   - version: one shard at one version
//   - build: computes deltas; shipper sends them to other nodes; attempts remembers
//     builds that ended the process
//   - columnist: builds columns of frequent words
//   - session: answers the steps of a search; listing those of a listing
//
// The packages below these read a version through small interfaces. This package owns
// the replicas of the node and connects the others.
//
// # Write path
//
// Host.Build pins the base version and calls package build to compute the delta. The
// delta becomes durable as pending (pending.go) and is shipped to the other replicas
// (ship.go). Once its commit is known, Host.Publish installs it, or a request that
// names its version does (install.go).
//
// # Read path
//
// Host.View returns exactly the version that a request names (views.go, replica.go): a
// snapshot of the store, with the live set, the settings and, once they were needed, the
// dictionaries in memory. Each version is derived from the previous one and the delta, so its cost is
// proportional to the change. Host.OpenSearch opens a session on a version.
//
// # Damage
//
// Readers and the scrubber (package scrub) find data that the disk lost; damage.go
// records it. Other nodes answer for such a shard until the follower has fetched a
// copy, which replaces the damaged data (repair.go). A store that cannot be opened at
// all is set aside (aside.go).
//
// # Vocabulary
//
// Ordinal: a document's u32 in its index. Row: its u32 in the shard.
// Block: rows with equal high halves.
// Group: 2^20 rows, which share the leading part of word keys. Delta: the change
// from one version of a shard to the next. Version: the shard after some batch,
// immutable, in memory while it has readers. View: a handle on a version.
//
// # Goroutines
//
// Each Host runs one janitor, one columnist, one writer of codes and one scrubber, and
// right after a start one that loads the largest shards (early.go); Close ends them. The workers of a build end with it, and shipping ends with Build.
// pebble runs its own.
package shard
