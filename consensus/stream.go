package consensus

import (
	"net"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"shoal/wire"
)

// In this group a server's address is its id: who dials finds out where the node
// is today. All addresses of a cluster may so change at once.
func addressOf(node wire.NodeID) raft.ServerAddress { return raft.ServerAddress(node) }

// stream is raft's view of the connections that the process provides.
type stream struct {
	net.Listener
	self wire.NodeID
	dial func(node wire.NodeID, timeout time.Duration) (net.Conn, error)
}

// Dial implements raft.StreamLayer.
func (s *stream) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	return s.dial(wire.NodeID(address), timeout)
}

// Addr names the node, which is what peers are told as its address.
func (s *stream) Addr() net.Addr { return nodeAddr(s.self) }

type nodeAddr wire.NodeID

func (nodeAddr) Network() string  { return "shoal" }
func (a nodeAddr) String() string { return string(a) }

// openTransport makes raft's transport over the process's connections.
func openTransport(cfg *Config, log hclog.Logger) raft.Transport {
	if cfg.transport != nil {
		return cfg.transport
	}
	return raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream:  &stream{Listener: cfg.Listener, self: cfg.NodeID, dial: cfg.Dial},
		MaxPool: 3,
		Timeout: 10 * time.Second,
		Logger:  log,
	})
}
