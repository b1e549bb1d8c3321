package machine

import (
	"context"
	"net"
	"time"

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

// alive ends a connection whose other side has not been heard of for 20 s, though it was
// asked or sent something: else a node that was cut off would hold what it had begun for
// hours.
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
