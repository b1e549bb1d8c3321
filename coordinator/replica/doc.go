// Package replica deals with the copies of shards as seen from one node.
//
// choose.go selects the copy that answers a call: in-sync copies, this node first, with
// failover. Follower keeps this node's copies up to date: it installs published deltas, fetches
// missed ones from other nodes, reports their state to the log, and drops copies that are
// assigned elsewhere. Follower.Run is one loop, owned by node, with a goroutine per shard that
// is fetched. This package may import task, coordinator and wire.
package replica
