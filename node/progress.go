package node

import (
	"context"
	"time"

	"shoal/node/peer"
)

const methodProgress = "batch.progress"

// progressWithin bounds the question to the leader: an answer without progress is
// better than a late one.
const progressWithin = 300 * time.Millisecond

// progressRequest asks how far batches are, progressReply tells it of those that
// the node works on.
type progressRequest struct {
	Batches []uint32 `msgpack:"b"`
}

type progressReply struct {
	Batches  []uint32 `msgpack:"b"`
	Progress [][]byte `msgpack:"p"`
}

// serveProgress answers for the batches that this node's scheduler works on.
func (n *Node) serveProgress(_ context.Context, req *progressRequest) (*progressReply, error) {
	reply := &progressReply{}
	for _, uid := range req.Batches {
		if p := n.work.scheduler.Progress(uid); p != nil {
			reply.Batches, reply.Progress = append(reply.Batches, uid), append(reply.Progress, p)
		}
	}
	return reply, nil
}

// progress asks the node that leads.
func (n *Node) progress(ctx context.Context, batches []uint32) map[uint32][]byte {
	req := &progressRequest{Batches: batches}
	leader, ok := n.group.Leader()
	if !ok {
		return nil
	}
	ask := n.serveProgress
	if leader != n.self.ID {
		ask = func(ctx context.Context, req *progressRequest) (*progressReply, error) {
			return peer.Call[progressRequest, progressReply](ctx, n.link, leader, methodProgress, req)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, progressWithin)
	defer cancel()
	reply, err := ask(ctx, req)
	if err != nil || len(reply.Batches) != len(reply.Progress) {
		return nil
	}
	known := make(map[uint32][]byte, len(reply.Batches))
	for i, uid := range reply.Batches {
		known[uid] = reply.Progress[i]
	}
	return known
}
