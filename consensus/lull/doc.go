// Package lull holds back the messages that an idle leader would only repeat to its
// followers (docs/adr/0024).
//
// In: messages for raft's transport, and the events that end the silence: appends to the
// log, proofs of leadership, reports of nodes that lack something, the end of the term.
// Out: the messages, now or later. May import raftlog and wire/await.
package lull
