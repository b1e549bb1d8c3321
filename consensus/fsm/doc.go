// Package fsm is the state machine that hashicorp/raft drives: it applies batches of entries
// to the machine of state, takes snapshots and restores them, and stops the node when an
// entry cannot be applied. It also records how far this node has applied, for the start
// after a kill.
//
// In: committed entries and snapshots, from one goroutine of raft. Out: a *wire.Result for
// each entry, and a signal after each change. It knows no other node and no leader. May
// import state, entry and wire.
package fsm
