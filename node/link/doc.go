// Package link reaches the shards of every node: the shards of this node by a plain call,
// other shards over a peer.Link. It also answers other nodes with the shards of this one.
//
// In: calls of the coordinator (coordinator.Shards) and of other nodes (Register). Out:
// replies, sessions whose steps travel over a stream (session.go), and copies of shards as
// streams of chunks (shards.go). It decides nothing: the caller chooses the node.
package link
