package transport

import (
	"net"

	"shoal/wire"
)

// namedConn is a connection that knows which node is at the other end.
type namedConn interface{ Node() wire.NodeID }

// guarded is a listener that rejects lost nodes. Raft itself accepts entries from any node
// with a higher term.
type guarded struct {
	net.Listener
	lost func(wire.NodeID) bool
}

// Accept returns the next connection from a node that is not lost.
func (l *guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if named, ok := c.(namedConn); !ok || !l.lost(named.Node()) {
			return c, nil
		}
		_ = c.Close() // the node tries again
	}
}
