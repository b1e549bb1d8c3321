// Package transport is raft's network between the nodes of a group. It refuses connections of
// nodes that were left out, and messages that name another sender than the node that sent them.
//
// In: the process's connections, and functions that hold back outgoing messages and take
// heartbeats. Out: raft.Transport. Close waits for its goroutines. May import raftlog and wire.
package transport
