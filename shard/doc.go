// Package shard keeps the shards of a node: their replicas on one pebble store, the
// pending deltas, and the versions that searches read.
//
// # Rooms
//
// store has keys, values and files; version one shard at one version; build computes
// deltas, shipper brings them to other nodes, attempts remembers those that ended the
// process; columnist makes the columns of frequent words; session answers the steps of a
// search and listing those of a listing; the packages below them see a version through
// small interfaces. This package owns the replicas of the node and joins the rooms.
//
// # Way of a write
//
// Host.Build takes the base and has package build compute the delta. It is made
// durable as pending (pending.go), shipped to the other replicas (ship.go), and
// brought into effect when its commit is known: by Host.Publish or by a request that
// names its version (install.go).
//
// # Way of a read
//
// Host.View returns the exact version that a request names (views.go, replica.go): a
// snapshot of the store with the live set, the dictionaries and the settings in memory.
// Each is derived from the one before and the delta, so its cost follows the change.
// Host.OpenSearch opens a session on it.
//
// # Damage
//
// What the disk has lost of a shard is found by a reader or by the scrubber (package
// scrub) and noted (damage.go). Other nodes answer for such a shard until the follower
// has fetched a copy, which takes the place of what is left (repair.go). A store that
// cannot be opened at all is set aside (aside.go).
//
// # Vocabulary
//
// Ordinal: a document's u32 in its index. Block: ordinals with equal high
// halves. Group: 2^20 ordinals, which share the leading part of word keys.
// Delta: the change from one version of a shard to the next. Version: the shard as it is
// after some batch, immutable, in memory while anybody reads it; View: a handle on it.
//
// # Goroutines
//
// One janitor, one columnist and one scrubber per Host, ended by Close; a build's
// workers end with the build, shipping with Build. pebble runs its own.
package shard
