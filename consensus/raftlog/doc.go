// Package raftlog is what hashicorp/raft needs around it: the file that holds log,
// term and vote, with a watch over a slow or failed disk (Store), connections to
// other nodes (Stream), and raft's messages in our log, without repeats (Logger).
//
// In: options and a function that dials. Out: raft's own interfaces. Stream.Close
// ends its connections; the watch is the caller's goroutine. May import wire only.
package raftlog
