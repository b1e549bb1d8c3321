package lease

import "shoal/wire"

// Report is a node's progress, in the form that nodes exchange.
type Report struct {
	Node wire.NodeID `msgpack:"n"`
	// At is the log time of the newest entry it has applied.
	At int64 `msgpack:"a"`
	// Index is the newest raft index it has applied, for promotion to voter.
	Index uint64 `msgpack:"i"`
	// Term is the term of the node, read after it got the answer whose Clock it repeats as
	// Echo. A node that votes for a successor leaves the term first.
	Term uint64 `msgpack:"t"`
	Echo int64  `msgpack:"e"`
	// Quiet is for how long the node has not supported leaders of older terms, in
	// nanoseconds; 0 if unknown (see former.go).
	Quiet int64 `msgpack:"q"`
	// Applied and Hash are the newest point of the node's history (state.Mark).
	Applied uint64 `msgpack:"ap"`
	Hash    uint64 `msgpack:"hs"`
	// Carried is the number of a report that the answer to a heartbeat carries, or 0 for a
	// report sent as a message.
	Carried uint64 `msgpack:"rd"`
}

// Answer is what the leader says to a report. consensus.Reply is its form between nodes, and
// says what each member means.
type Answer struct {
	Leased, Barred bool
	Watermark      int64
	Left           int64
	Clock          int64
	Term           uint64
	Applied, Hash  uint64
	Carried        uint64
	Held           int64
}
