package node

import (
	"context"
	"time"

	"shoal/node/peer"
	"shoal/wire"
)

// askWithin bounds questions to the leader about what is only shown: an answer
// without it is better than a late one.
const askWithin = 300 * time.Millisecond

// askLeader asks the node that leads, with a plain call of serve when that is this
// one. It returns wire.ErrNoLeader when nobody is known to lead, and what the call
// returns.
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
