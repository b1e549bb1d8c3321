package node

import (
	"context"

	"shoal/wire"
)

const methodWaits = "cluster.waits"

type waitsRequest struct{}

// waitsReply lists what the leader's work waits for.
type waitsReply struct {
	Waits []string `msgpack:"w"`
}

// serveWaits answers on the leader.
func (n *Node) serveWaits(context.Context, *waitsRequest) (*waitsReply, error) {
	if _, leads := n.group.Leading(); !leads {
		return nil, wire.ErrNotLeader
	}
	return &waitsReply{Waits: n.work.scheduler.Waits()}, nil
}

// waits asks the node that leads; none when it cannot tell.
func (n *Node) waits(ctx context.Context) []string {
	reply, err := askLeader(ctx, n, methodWaits, n.serveWaits, &waitsRequest{})
	if err != nil {
		return nil
	}
	return reply.Waits
}
