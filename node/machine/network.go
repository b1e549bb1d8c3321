package machine

import (
	"context"
	"net"

	"github.com/hashicorp/memberlist"
)

// Network is how a node is reached and reaches others. Safe for concurrent use.
type Network interface {
	// Listen takes connections to a TCP address, HOST:PORT.
	Listen(addr string) (net.Listener, error)
	// Dial connects to one.
	Dial(ctx context.Context, addr string) (net.Conn, error)
	// Gossip binds what carries gossip; nil leaves it to memberlist.
	Gossip(host string, port int) (memberlist.NodeAwareTransport, error)
}

// System is the network of the operating system.
type System struct{}

// Listen implements Network.
func (System) Listen(addr string) (net.Listener, error) { return net.Listen("tcp", addr) }

// Dial implements Network.
func (System) Dial(ctx context.Context, addr string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", addr)
}

// Gossip implements Network.
func (System) Gossip(string, int) (memberlist.NodeAwareTransport, error) { return nil, nil }
