// Package lull keeps back what an idle leader would only repeat to its followers
// (docs/adr/0024).
//
// In: messages that raft's transport is to send, and what ends the silence: appends to the
// log, proofs of leadership, reports of nodes that lack something, the end of the term.
// Out: the messages, now or later. May import event and raftlog.
package lull
