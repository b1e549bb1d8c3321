package node

import "context"

const methodProgress = "batch.progress"

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
