package node

import (
	"context"

	"shoal/consensus"
)

// Two processes with one id would each have a vote, giving two votes in one term. A copied
// folder is detected when the second process starts (consensus asks Twin before it takes
// part in anything), and by gossip if both start at the same moment.

// twin implements consensus.Config.Twin.
func (n *Node) twin(ctx context.Context, addr string) bool {
	return addr != n.self.PeerAddr && n.identity.Twin(ctx, n.on.Network, addr)
}

// twinHeard receives the address of a node that gossip sees with this one's id. It may be
// this node's former address, or a running copy of its folder. It does not block; gossip
// repeats addresses that it drops.
func (n *Node) twinHeard(addr string) {
	select {
	case n.suspects <- addr:
	default:
	}
}

// watchTwins checks the addresses from twinHeard, until ctx ends. Of two processes the one
// in the catalogue continues; the other one ends.
func (n *Node) watchTwins(ctx context.Context) {
	for {
		var addr string
		select {
		case <-ctx.Done():
			return
		case addr = <-n.suspects:
		}
		one, cancel := context.WithTimeout(ctx, acquaintTime)
		found := n.twin(one, addr)
		cancel()
		switch {
		case !found:
		case n.catalogued():
			n.log.Error("a copy of this node's data folder is in use: stop the process that uses it", "address", addr)
		default:
			n.fail(n.logFault(&consensus.TwinError{Addr: addr}))
		}
	}
}

// catalogued tells whether the catalogue has this node at its address.
func (n *Node) catalogued() bool {
	c := n.catalog()
	if c == nil {
		return false
	}
	d, member := c.Node(n.self.ID)
	return member && d.PeerAddr == n.self.PeerAddr
}
