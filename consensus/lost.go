package consensus

import (
	"net"

	"shoal/wire"
)

// Lost tells whether a node was left behind when this cluster was recovered without
// it. It may still think that it votes, or leads.
func (g *Group) Lost(node wire.NodeID) bool {
	r, out := g.Removed(node)
	return out && r.Lost
}

// guarded is a listener that lets no lost node in: raft takes entries of anybody whose
// term is higher.
type guarded struct {
	net.Listener
	lost func(wire.NodeID) bool
}

// Accept returns the next connection of a node that was not lost.
func (l *guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if named, ok := c.(namedConn); !ok || !l.lost(named.Node()) {
			return c, nil
		}
		_ = c.Close() // it asks again
	}
}
