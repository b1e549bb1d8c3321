package consensus

import (
	"time"

	"shoal/consensus/lease"
	"shoal/wire"
)

// Request is one call from a node's Group to another's, over the process's links
// (Config.Call to Group.Serve). Exactly one member is set.
type Request struct {
	// Propose is an encoded command for the leader.
	Propose []byte `msgpack:"p"`
	// ReadIndex asks the leader for the entry that a reader must have applied in order to
	// see everything committed before the call.
	ReadIndex bool `msgpack:"ri"`
	// Report tells the leader a node's progress. The reply may renew the node's lease.
	Report *Report `msgpack:"r"`
	// Watermark tells a node the leader's newest watermark.
	Watermark int64 `msgpack:"w"`
	// Ping asks whether the node is alive.
	Ping bool `msgpack:"pi"`
	// Remove asks the leader to remove a node from the cluster.
	Remove *wire.NodeID `msgpack:"rm"`
	// Verdict tells a node about its membership.
	Verdict *Verdict `msgpack:"vd"`
	// Recall asks for the newest entry that this node is known to have applied.
	Recall *wire.NodeID `msgpack:"rc"`
	// Forked tells a node that its history and the sender's differ (see history.go).
	Forked *Forked `msgpack:"fk"`
}

// Report is a node's progress.
type Report = lease.Report

// Reply answers a Request.
type Reply struct {
	Result *wire.Result `msgpack:"r"` // Propose
	Index  uint64       `msgpack:"i"` // ReadIndex, Recall
	// Leased answers a Report.
	Leased bool `msgpack:"l"`
	// Watermark is the leader's newest, in the answer to a Report or ReadIndex; 0 in the answer
	// of an older program to ReadIndex.
	Watermark int64 `msgpack:"w"`
	// Barred: the node is too slow for a lease.
	Barred bool `msgpack:"b"`
	// Left is how long the lease is valid, in nanoseconds after the report was sent.
	Left int64 `msgpack:"d"`
	// Clock and Term are the leader's. The next report repeats the clock.
	Clock int64  `msgpack:"c"`
	Term  uint64 `msgpack:"t"`
	// Applied and Hash are the newest point of the leader's history (state.Mark).
	Applied uint64 `msgpack:"ap"`
	Hash    uint64 `msgpack:"hs"`
	// Wall is the leader's time of day in nanoseconds since 1970, 0 from older programs.
	Wall int64 `msgpack:"wl"`
	// Carried is the number of the answered report, if a heartbeat carried it. Held is how
	// long the answer was kept for the next heartbeat.
	Carried uint64 `msgpack:"rd"`
	Held    int64  `msgpack:"hd"`
	// Node answers a Ping.
	Node wire.NodeID `msgpack:"n"`
	// At is the known address of the other node, in the answer to a Recall.
	At string `msgpack:"ad"`
}

// replyTo is the answer to a report, in the form that nodes exchange. wall is the leader's time
// of day.
func replyTo(a lease.Answer, wall time.Time) *Reply {
	return &Reply{
		Leased: a.Leased, Watermark: a.Watermark, Barred: a.Barred, Left: a.Left, Clock: a.Clock, Term: a.Term,
		Applied: a.Applied, Hash: a.Hash, Wall: wall.UnixNano(), Carried: a.Carried, Held: a.Held,
	}
}
