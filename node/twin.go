package node

import (
	"context"

	"shoal/consensus"
)

// Two processes with one id would each keep a vote of their own, and give two votes in one
// term. A folder that was copied is found when the second process starts (consensus asks
// Twin before it takes part in anything), and by gossip if both start at one moment.

// twin is consensus.Config.Twin.
func (n *Node) twin(ctx context.Context, addr string) bool {
	return addr != n.self.PeerAddr && n.identity.Twin(ctx, n.on.Network, addr)
}

// twinHeard takes the address of a node that gossip hears under this one's id: it may be
// where this node was before, or where a copy of its folder runs. It does not block; what
// it drops is heard again.
func (n *Node) twinHeard(addr string) {
	select {
	case n.suspects <- addr:
	default:
	}
}

// watchTwins looks at what twinHeard took, until ctx ends. The process that the catalogue
// knows goes on, and the other one ends.
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
