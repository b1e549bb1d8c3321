package node

import (
	"context"
	"time"

	"shoal/coordinator/placement"
	"shoal/node/peer"
	"shoal/wire"
)

// askWithin bounds questions to the leader for display only: an answer without the leader
// is better than a late one.
const askWithin = 300 * time.Millisecond

// askLeader asks the leader, by calling serve directly if this node leads. It returns
// wire.ErrNoLeader if no leader is known, otherwise the result of the call.
func askLeader[Q, A any](ctx context.Context, n *Node, method string, serve func(context.Context, *Q) (*A, error), question *Q) (*A, error) {
	leader, ok := n.group.Leader()
	if !ok {
		return nil, wire.ErrNoLeader
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	if leader == n.self.ID {
		return serve(ctx, question)
	}
	return peer.Call[Q, A](ctx, n.link, leader, method, question)
}

const methodProgress = "batch.progress"

// progressRequest asks for the progress of batches. progressReply has those that the node
// works on.
type progressRequest struct {
	Batches []uint32 `msgpack:"b"`
}

type progressReply struct {
	Batches  []uint32 `msgpack:"b"`
	Progress [][]byte `msgpack:"p"`
}

// serveProgress answers with the progress of the batches that this node's scheduler works
// on.
func (n *Node) serveProgress(_ context.Context, req *progressRequest) (*progressReply, error) {
	reply := &progressReply{}
	for _, uid := range req.Batches {
		if p := n.work.scheduler.Progress(uid); p != nil {
			reply.Batches, reply.Progress = append(reply.Batches, uid), append(reply.Progress, p)
		}
	}
	return reply, nil
}

// progress asks the leader.
func (n *Node) progress(ctx context.Context, batches []uint32) map[uint32][]byte {
	reply, err := askLeader(ctx, n, methodProgress, n.serveProgress, &progressRequest{Batches: batches})
	if err != nil || len(reply.Batches) != len(reply.Progress) {
		return nil
	}
	known := make(map[uint32][]byte, len(reply.Batches))
	for i, uid := range reply.Batches {
		known[uid] = reply.Progress[i]
	}
	return known
}

const methodLags = "cluster.lags"

type lagsRequest struct{}

// lagsReply has the number of log entries that each member still has to apply.
type lagsReply struct {
	Lags map[wire.NodeID]uint64 `msgpack:"l"`
}

// serveLags answers on the leader.
func (n *Node) serveLags(context.Context, *lagsRequest) (*lagsReply, error) {
	lags, ok := n.group.Lags()
	if !ok {
		return nil, wire.ErrNotLeader
	}
	lags[n.self.ID] = 0
	return &lagsReply{Lags: lags}, nil
}

// lags asks the leader. It returns nil if the leader cannot tell.
func (n *Node) lags(ctx context.Context) map[wire.NodeID]uint64 {
	reply, err := askLeader(ctx, n, methodLags, n.serveLags, &lagsRequest{})
	if err != nil {
		return nil
	}
	return reply.Lags
}

const methodWaits = "cluster.waits"

type waitsRequest struct{}

// waitsReply is a placement.Work. Older programs omit the decisions.
type waitsReply struct {
	Waits     []string            `msgpack:"w"`
	Decisions []placement.Decided `msgpack:"d"`
}

// serveWaits answers on the leader.
func (n *Node) serveWaits(context.Context, *waitsRequest) (*waitsReply, error) {
	if _, leads := n.group.Leading(); !leads {
		return nil, wire.ErrNotLeader
	}
	return &waitsReply{Waits: n.work.scheduler.Waits(), Decisions: n.work.decisions()}, nil
}

// leaderWork asks the leader. The result is empty if the leader cannot tell.
func (n *Node) leaderWork(ctx context.Context) placement.Work {
	reply, err := askLeader(ctx, n, methodWaits, n.serveWaits, &waitsRequest{})
	if err != nil {
		return placement.Work{}
	}
	return placement.Work{Waits: reply.Waits, Decisions: reply.Decisions}
}
