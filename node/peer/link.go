package peer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"shoal/node/machine"
	"shoal/wire"
)

// Link reaches other nodes by pooled connections. Safe for concurrent use. Connections are
// made when they are needed, and kept for the next call.
type Link struct {
	network machine.Network
	self    *Identity
	resolve func(wire.NodeID) (addr string, ok bool)
	heard   func(wire.NodeID) (addr string)
	health  *health
	traffic *Traffic
	pool    *pool
}

// target is a node and its address. A connection serves only the node that it was made
// for, even if another one has come to that address. An empty node means any node there.
type target struct {
	node wire.NodeID
	addr string
}

// NewLink makes the link of the node self, which finds addresses through resolve.
func NewLink(network machine.Network, self *Identity, resolve func(wire.NodeID) (string, bool)) *Link {
	l := &Link{network: network, self: self, resolve: resolve, traffic: new(Traffic)}
	l.pool = newPool(func(ctx context.Context, at target) (net.Conn, bool, error) {
		c, err := l.dial(ctx, at)
		if err != nil {
			return nil, false, err
		}
		return c, c.ConnectionState().NegotiatedProtocol == protoDirect, nil
	})
	l.health = newHealth(l.pulse, l.pool.renew, l.there)
	return l
}

// Count makes the link count in t. It must be called before any other method.
func (l *Link) Count(t *Traffic) { l.traffic = t }

// Hear gives the link a second way to find nodes, which returns "" if it knows none. The
// link tries it if the usual address of a node does not lead to it. It must be called
// before any other method.
func (l *Link) Hear(heard func(wire.NodeID) (addr string)) { l.heard = heard }

// Suspect tells whether a call found a node dead or hanging and the node has given no sign
// of life since. Calls to it may still be tried.
func (l *Link) Suspect(node wire.NodeID) bool {
	addr, ok := l.resolve(node)
	return !ok || l.health.suspected(target{node, addr})
}

// there tells whether a node may still be found at an address.
func (l *Link) there(at target) bool {
	addr, ok := l.resolve(at.node)
	return at.node == "" || ok && addr == at.addr
}

// Answers asks a node for a sign of life and tells whether it came within SignWithin and
// before ctx ended. A busy node gives one, too. A node that gives none is suspect until it
// does.
func (l *Link) Answers(ctx context.Context, node wire.NodeID) bool {
	addr, ok := l.resolve(node)
	if !ok {
		return false
	}
	at := target{node, addr}
	asked := make(chan error, 1)
	l.health.begin(func() { asked <- l.health.pulse(at, SignWithin) })
	select {
	case err := <-asked:
		if err != nil && l.health.ctx.Err() == nil {
			l.health.suspect(at)
		}
		return err == nil
	case <-ctx.Done():
		return false
	case <-l.health.ctx.Done():
		return false
	}
}

// pulse asks for a sign of life.
func (l *Link) pulse(ctx context.Context, at target) error {
	s, err := l.begin(ctx, at, methodPulse, unguarded)
	if err != nil {
		return err
	}
	s.watch(ctx)
	return s.once(&pulse{}, new(pulse))
}

// Close closes every connection; calls under way fail.
func (l *Link) Close() error {
	l.pool.close()
	l.health.close()
	return nil
}

// Call sends one request to a node and returns its reply. A node that cannot be
// reached, or at whose address another one answers, gives an error that wraps
// wire.ErrUnavailable.
func Call[Req, Rep any](ctx context.Context, l *Link, node wire.NodeID, method string, req *Req) (*Rep, error) {
	addr, ok := l.resolve(node)
	if !ok {
		return nil, fmt.Errorf("no address is known for node %s: %w", node, wire.ErrUnavailable)
	}
	return call[Req, Rep](ctx, l, target{node, addr}, method, req)
}

// CallAddr is Call by address, for nodes whose id is not known yet.
func CallAddr[Req, Rep any](ctx context.Context, l *Link, addr, method string, req *Req) (*Rep, error) {
	return call[Req, Rep](ctx, l, target{addr: addr}, method, req)
}

func call[Req, Rep any](ctx context.Context, l *Link, at target, method string, req *Req) (*Rep, error) {
	s, err := l.begin(ctx, at, method, 0)
	if err != nil {
		return nil, err
	}
	s.watch(ctx)
	rep := new(Rep)
	if err := s.once(req, rep); err != nil {
		return nil, err
	}
	return rep, nil
}

// failed turns the fault of a connection into the error that the caller gets. A node that
// cannot be connected to becomes suspect at once.
func (l *Link) failed(ctx context.Context, at target, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, wire.ErrClosed), errors.Is(err, wire.ErrUnavailable):
		return err
	case errors.Is(err, net.ErrClosed), errors.Is(err, context.Canceled):
		return fmt.Errorf("peer: %w", wire.ErrUnavailable) // a watch or the end of the link closed it
	}
	l.health.suspect(at)
	return fmt.Errorf("peer: %w: %w", err, wire.ErrUnavailable)
}

// Retry makes the next call to an address connect at once, however often it failed
// before: it has given a sign of life.
func (l *Link) Retry(addr string) {
	l.pool.forgive(func(at target) bool { return at == target{addr: addr} })
}

// Back makes the next call to a node connect at once, however often it failed before. It is
// called when the node has just connected to this one. Otherwise calls would fail for up to a
// second after the node has come back.
func (l *Link) Back(node wire.NodeID) {
	l.pool.forgive(func(at target) bool { return at.node == node })
}

func (l *Link) dial(ctx context.Context, at target) (*tls.Conn, error) {
	spare := func() string {
		if l.heard == nil || at.node == "" {
			return ""
		}
		return l.heard(at.node)
	}
	return dial(ctx, l.network, l.self, at, spare, protoRPC, protoDirect)
}
