package node

import (
	"context"

	"shoal/wire"
)

const methodLags = "cluster.lags"

type lagsRequest struct{}

// lagsReply tells how many entries of the log each member has still to apply.
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

// lags asks the node that leads; nil when it cannot tell.
func (n *Node) lags(ctx context.Context) map[wire.NodeID]uint64 {
	reply, err := askLeader(ctx, n, methodLags, n.serveLags, &lagsRequest{})
	if err != nil {
		return nil
	}
	return reply.Lags
}
