package raftlog

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// Stream is raft's view of the connections that the process provides. It tracks the open
// ones, because raft does not close them all.
type Stream struct {
	self  wire.NodeID
	dial  func(node wire.NodeID, timeout time.Duration) (net.Conn, error)
	Ended chan struct{}

	mu     sync.Mutex
	open   map[*trackedConn]struct{}
	closed bool
}

// NewStream returns the connections of this node to others. dial makes them.
func NewStream(self wire.NodeID, dial func(wire.NodeID, time.Duration) (net.Conn, error)) *Stream {
	return &Stream{self: self, dial: dial, Ended: make(chan struct{}), open: make(map[*trackedConn]struct{})}
}

// trackedConn removes itself from its stream when it is closed.
type trackedConn struct {
	net.Conn
	of *Stream
}

func (c *trackedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// Track records an open connection so that Close ends it.
func (s *Stream) Track(c net.Conn, err error) (net.Conn, error) {
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
func (s *Stream) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	return s.Track(s.dial(wire.NodeID(address), timeout))
}

// Accept only waits for the end, because incoming connections arrive through the transport.
func (s *Stream) Accept() (net.Conn, error) {
	<-s.Ended
	return nil, net.ErrClosed
}

// Close ends Accept and every connection.
func (s *Stream) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.Ended)
	var conns []net.Conn
	for c := range s.open {
		conns = append(conns, c.Conn)
	}
	s.mu.Unlock()
	for _, c := range conns {
		_ = c.Close() // an error means that the other side closed it first
	}
	return nil
}

// Addr names the node. Peers use it as the node's address.
func (s *Stream) Addr() net.Addr { return nodeAddr(s.self) }

type nodeAddr wire.NodeID

func (nodeAddr) Network() string  { return "shoal" }
func (a nodeAddr) String() string { return string(a) }
