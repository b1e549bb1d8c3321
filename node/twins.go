package node

import (
	"context"

	"shoal/consensus"
)

// twins finds other processes with this node's id. Two of them would each have a vote,
// giving two votes in one term. A copied folder is detected when the second process starts
// (consensus asks Twin before it takes part in anything), and by gossip if both start at the
// same moment.
type twins struct {
	*peers
	suspects chan string // addresses where gossip sees a node with this node's id
}

func newTwins(p *peers) *twins { return &twins{peers: p, suspects: make(chan string, 1)} }

// at implements consensus.Config.Twin.
func (t *twins) at(ctx context.Context, addr string) bool {
	return addr != t.self.PeerAddr && t.identity.Twin(ctx, t.on.Network, addr)
}

// heard receives the address of a node that gossip sees with this one's id. It may be this
// node's former address, or a running copy of its folder. It does not block; gossip repeats
// addresses that it drops.
func (t *twins) heard(addr string) {
	select {
	case t.suspects <- addr:
	default:
	}
}

// watch checks the addresses that were heard, until ctx ends. Of two processes the one in
// the catalogue continues; the other one ends.
func (t *twins) watch(ctx context.Context) {
	for {
		var addr string
		select {
		case <-ctx.Done():
			return
		case addr = <-t.suspects:
		}
		one, cancel := context.WithTimeout(ctx, greetTime)
		found := t.at(one, addr)
		cancel()
		switch d, member := t.cluster.node(t.self.ID); {
		case !found:
		case member && d.PeerAddr == t.self.PeerAddr:
			t.log.Error("a copy of this node's data folder is in use: stop the process that uses it", "address", addr)
		default:
			t.fail(logFault(t.folder, &consensus.TwinError{Addr: addr}))
		}
	}
}
