package node

import (
	"context"
	"time"

	"shoal/node/peer"
	"shoal/wire"
)

const methodLags = "cluster.lags"

// lagsWithin bounds the question to the leader: a status without lags is better
// than a late one.
const lagsWithin = 300 * time.Millisecond

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
	leader, ok := n.group.Leader()
	if !ok {
		return nil
	}
	ask := n.serveLags
	if leader != n.self.ID {
		ask = func(ctx context.Context, req *lagsRequest) (*lagsReply, error) {
			return peer.Call[lagsRequest, lagsReply](ctx, n.link, leader, methodLags, req)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, lagsWithin)
	defer cancel()
	reply, err := ask(ctx, &lagsRequest{})
	if err != nil {
		return nil
	}
	return reply.Lags
}
