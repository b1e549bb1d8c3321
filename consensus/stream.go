package consensus

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"shoal/wire"
)

// In this group a server's address is its id: who dials finds out where the node
// is today. All addresses of a cluster may so change at once.
func addressOf(node wire.NodeID) raft.ServerAddress { return raft.ServerAddress(node) }

// stream is raft's view of the connections that the process provides. It knows
// which are open, because raft closes only its listener.
type stream struct {
	net.Listener
	self wire.NodeID
	dial func(node wire.NodeID, timeout time.Duration) (net.Conn, error)

	mu     sync.Mutex
	open   map[*trackedConn]struct{}
	closed bool
}

// trackedConn is forgotten by its stream when it is closed.
type trackedConn struct {
	net.Conn
	of *stream
}

func (c *trackedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func (s *stream) track(c net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(net.ErrClosed, c.Close())
	}
	t := &trackedConn{Conn: c, of: s}
	s.open[t] = struct{}{}
	return t, nil
}

// Dial implements raft.StreamLayer.
func (s *stream) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	return s.track(s.dial(wire.NodeID(address), timeout))
}

// Accept implements net.Listener.
func (s *stream) Accept() (net.Conn, error) { return s.track(s.Listener.Accept()) }

// Close closes the listener and every connection.
func (s *stream) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	var conns []net.Conn
	for c := range s.open {
		conns = append(conns, c.Conn)
	}
	s.mu.Unlock()
	for _, c := range conns {
		_ = c.Close() // the other side may have been faster; nothing is lost
	}
	return s.Listener.Close()
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
		Stream: &stream{
			Listener: cfg.Listener, self: cfg.NodeID, dial: cfg.Dial, open: make(map[*trackedConn]struct{}),
		},
		MaxPool: 3,
		Timeout: 10 * time.Second,
		Logger:  log,
	})
}
