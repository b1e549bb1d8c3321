// Package link reaches the shards of every node: those of this one by a plain call,
// the others' over a peer.Link, and answers other nodes with the shards of this one.
//
// In: calls of the coordinator (coordinator.Shards) and of other nodes (Register). Out:
// replies, sessions whose steps travel over a stream (session.go), and copies of shards as streams of chunks (shards.go). It decides
// nothing: which node is asked says the caller.
package link
