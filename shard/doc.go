// Package shard keeps the shards of a node: their replicas on one pebble store, the
// pending deltas, and the versions that searches read.
//
// # Parts
//
// A Host joins the parts, each of which needs only the replicas and a few others:
//
//   - Searches: exact versions for requests, and the sessions that read them
//   - Builds: the deltas of batches
//   - Copies: deltas and whole shards to and from other nodes
//   - Holdings: what is here of each shard; follows the catalogue
//   - Disk: the space that indexes take
//   - repair: cuts damaged shards out; footprint knows where they may lie
//   - loader: the largest shards right after a start
//   - janitor: ends old versions and deltas
//   - memory: the use of the budget
//
// Below them are the replicas; a replica has the open versions of its shard (history)
// and its deltas. resources are what all of them use; catalogue asks the log.
//
// # Packages
//
//   - store: keys, values and files; pending: deltas until their commit
//   - version: one shard at one version
//   - build: computes deltas; shipper sends them to other nodes, in the form of shipment;
//     attempts remembers builds that ended the process
//   - columnist: builds columns of frequent words
//   - session: answers the steps of a search; listing those of a listing
//   - damage: what the disk lost; scrub looks for more
//   - gate: makes background work yield to searches
//
// The packages below these read a version through small interfaces. This package owns
// the replicas of the node and connects the others.
//
// # Write path
//
// Builds.Build pins the base version and calls package build to compute the delta. The
// delta becomes durable as pending (deltas.go) and is shipped to the other replicas
// (copies.go). Once its commit is known, Holdings.Committed or Holdings.Publish installs
// it, or a request that names its version does (install.go).
//
// # Read path
//
// Searches.View returns exactly the version that a request names (searches.go, replica.go): a
// snapshot of the store, with the live set, the settings and, once they were needed, the
// dictionaries in memory. Each version is derived from the previous one and the delta, so its cost is
// proportional to the change. Searches.OpenSearch opens a session on a version.
//
// # Damage
//
// Readers and the scrubber (package scrub) find data that the disk lost; package damage
// records it. Other nodes answer for such a shard until the follower has fetched a
// copy, which replaces the damaged data (repair.go). A store that cannot be opened at
// all is set aside (damage.SetAside).
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
