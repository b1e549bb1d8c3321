// Package raftlog adapts hashicorp/raft to this program. Store is the file that holds log,
// term and vote, with a watch over a slow or failed disk. Stream makes connections to other
// nodes. Logger writes raft's messages to our log, without repeats.
//
// In: options and a function that dials. Out: raft's own interfaces. Stream.Close ends its
// connections; the caller runs the goroutine of the watch. May import wire only.
package raftlog
