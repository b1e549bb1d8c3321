package peer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	grpcstatus "google.golang.org/grpc/status"

	"shoal/node/machine"
	"shoal/wire"
)

const methodPrefix = "/shoal/"

// Link reaches other nodes. Safe for concurrent use. Connections are made on
// first use, kept, and made anew when a node's address changes.
type Link struct {
	network machine.Network
	self    *Identity
	resolve func(wire.NodeID) (addr string, ok bool)
	heard   func(wire.NodeID) (addr string)
	health  *health
	traffic *Traffic
	direct  *directs
	mu      struct {
		sync.Mutex
		conns  map[target]*grpc.ClientConn
		closed bool
	}
}

// target is who is meant and where: a connection to an address is of no use for
// another node than the one it was made for. An empty node is whoever is there.
type target struct {
	node wire.NodeID
	addr string
}

// NewLink makes the link of the node self, which finds addresses through resolve.
func NewLink(network machine.Network, self *Identity, resolve func(wire.NodeID) (string, bool)) *Link {
	l := &Link{network: network, self: self, resolve: resolve, traffic: new(Traffic), direct: newDirects()}
	l.mu.conns = map[target]*grpc.ClientConn{}
	l.health = newHealth(l.pulse, l.renew, l.there)
	return l
}

// Count has the link count in t. It must be called before any other method.
func (l *Link) Count(t *Traffic) { l.traffic = t }

// Hear gives the link a second way to find nodes, which returns "" when it knows of none;
// it is tried when the usual address of a node does not lead to it. It must be called
// before any other method.
func (l *Link) Hear(heard func(wire.NodeID) (addr string)) { l.heard = heard }

// Suspect tells whether a node seems not to answer: a call found it dead or
// hanging and it has given no sign of life since. Calls to it may still be tried.
func (l *Link) Suspect(node wire.NodeID) bool {
	addr, ok := l.resolve(node)
	return !ok || l.health.suspected(target{node, addr})
}

// there tells whether a node may still be found at an address.
func (l *Link) there(at target) bool {
	addr, ok := l.resolve(at.node)
	return at.node == "" || ok && addr == at.addr
}

// Answers asks a node for a sign of life, which it gives however busy it is, and tells
// whether it came within SignWithin and before ctx ended. A node that gives none is suspect
// until it does.
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
	conn, err := l.conn(at)
	if err != nil {
		return err
	}
	in, err := messageFrame(&pulse{})
	if err != nil {
		return err
	}
	return conn.Invoke(ctx, methodPrefix+methodPulse, in, new(frame))
}

// renew closes the connection to a node that does not answer; calls under way fail.
func (l *Link) renew(at target) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.mu.conns[at]; ok {
		l.giveUp(at, c)
	}
}

// giveUp closes a connection: the next call makes another. The caller holds mu.
func (l *Link) giveUp(at target, c *grpc.ClientConn) {
	delete(l.mu.conns, at)
	_ = c.Close() // it fails only when it was closed before
}

// Close closes every connection; calls under way fail.
func (l *Link) Close() error {
	defer l.health.close()
	l.direct.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.closed = true
	var errs []error
	for _, c := range l.mu.conns {
		errs = append(errs, c.Close())
	}
	l.mu.conns = map[target]*grpc.ClientConn{}
	return errors.Join(errs...)
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
	conn, err := l.conn(at)
	if err != nil {
		return nil, err
	}
	in, err := messageFrame(req)
	if err != nil {
		return nil, err
	}
	var out frame
	waited, cancel := context.WithCancel(ctx)
	defer cancel()
	w := l.health.watch(at, false, cancel)
	counts := l.traffic.method(method)
	counts.add(Sent, in)
	err = conn.Invoke(waited, methodPrefix+method, in, &out)
	w.stop()
	if err != nil {
		return nil, l.failed(ctx, at, err)
	}
	counts.add(Received, &out)
	rep := new(Rep)
	if err := out.take(rep); err != nil {
		return nil, err
	}
	return rep, nil
}

// failed is what a call that did not get through means to its caller; a node that
// cannot be connected to is suspect at once.
func (l *Link) failed(ctx context.Context, at target, err error) error {
	if grpcstatus.Code(err) == codes.Unavailable && ctx.Err() == nil {
		l.health.suspect(at)
	}
	return transportError(ctx, err)
}

// Retry makes the next call to an address connect at once, however often it failed
// before: it has given a sign of life.
func (l *Link) Retry(addr string) {
	l.retry(func(at target) bool { return at == target{addr: addr} })
}

// Back makes the next call to a node connect at once, however often it failed before: it
// has just connected to this one. Else calls fail for up to a second and more after the
// node is there again.
func (l *Link) Back(node wire.NodeID) {
	l.retry(func(at target) bool { return at.node == node })
}

// retry gives up connections that fail. ResetConnectBackoff would end a pause, but not one
// that is about to begin, because a try is just failing.
func (l *Link) retry(of func(target) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, c := range l.mu.conns {
		if of(at) && c.GetState() == connectivity.TransientFailure {
			l.giveUp(at, c)
		}
	}
}

func (l *Link) conn(at target) (*grpc.ClientConn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.closed {
		return nil, wire.ErrClosed
	}
	if c, ok := l.mu.conns[at]; ok {
		return c, nil
	}
	c, err := grpc.NewClient("passthrough:///"+at.addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()), // TLS is done by dial
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.dial(ctx, at, protoRPC) }),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(frameCodec{}), grpc.MaxCallRecvMsgSize(maxFrame), grpc.MaxCallSendMsgSize(maxFrame)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second, PermitWithoutStream: true}),
		grpc.WithStaticStreamWindowSize(streamWindow), grpc.WithStaticConnWindowSize(linkWindow),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: 2 * time.Second,
			Backoff: backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}}),
	)
	if err != nil {
		return nil, fmt.Errorf("link to %s: %w", at.addr, err)
	}
	l.mu.conns[at] = c
	return c, nil
}

func (l *Link) dial(ctx context.Context, at target, protocols ...string) (net.Conn, error) {
	spare := func() string {
		if l.heard == nil || at.node == "" {
			return ""
		}
		return l.heard(at.node)
	}
	return dial(ctx, l.network, l.self, at, spare, protocols...)
}

// transportError names what a failed call means to the caller.
func transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch grpcstatus.Code(err) {
	case codes.Canceled:
		return fmt.Errorf("peer: %w", wire.ErrUnavailable)
	case codes.DeadlineExceeded:
		return context.DeadlineExceeded
	}
	return fmt.Errorf("peer: %s: %w", grpcstatus.Convert(err).Message(), wire.ErrUnavailable)
}
