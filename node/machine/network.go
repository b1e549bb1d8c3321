package machine

import (
	"context"
	"net"
	"time"

	"github.com/hashicorp/memberlist"
)

// Network connects a node with other nodes and clients. Safe for concurrent use.
type Network interface {
	// Listen accepts connections to a TCP address, HOST:PORT.
	Listen(addr string) (net.Listener, error)
	// Dial connects to such an address.
	Dial(ctx context.Context, addr string) (net.Conn, error)
	// Gossip binds the transport of gossip; nil means memberlist's own.
	Gossip(host string, port int) (memberlist.NodeAwareTransport, error)
}

// System is the network of the operating system.
type System struct{}

// alive ends a connection after 20 s without a sign from its other side, even if nothing
// was sent. Otherwise the resources of a node that was cut off would be held for hours.
var alive = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 2}

// Listen implements Network.
func (System) Listen(addr string) (net.Listener, error) {
	l := net.ListenConfig{KeepAliveConfig: alive, Control: acknowledged}
	return l.Listen(context.Background(), "tcp", addr)
}

// Dial implements Network.
func (System) Dial(ctx context.Context, addr string) (net.Conn, error) {
	d := net.Dialer{KeepAliveConfig: alive, Control: acknowledged}
	return d.DialContext(ctx, "tcp", addr)
}

// Gossip implements Network.
func (System) Gossip(string, int) (memberlist.NodeAwareTransport, error) { return nil, nil }
