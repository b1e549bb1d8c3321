// Package replica is the copies of shards as seen from one node.
//
// In: the catalogue. Out: which copy answers a call (choose.go: in-sync ones, this
// node first, failing over), and copies on this node that follow what was
// published (Follower): it installs deltas, fetches what was missed from other
// nodes, reports its state to the log, and drops what is assigned elsewhere.
// Follower.Run is one loop, owned by node, with a goroutine per shard that is
// fetched. May import task, coordinator and wire.
package replica
