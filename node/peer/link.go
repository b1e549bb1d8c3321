package peer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	grpcstatus "google.golang.org/grpc/status"

	"shoal/wire"
)

const methodPrefix = "/shoal/"

// Link reaches other nodes. Safe for concurrent use. Connections are made on
// first use, kept, and made anew when a node's address changes.
type Link struct {
	tls     *tls.Config
	resolve func(wire.NodeID) (addr string, ok bool)
	health  *health
	mu      struct {
		sync.Mutex
		conns  map[string]*grpc.ClientConn
		closed bool
	}
}

// NewLink makes a link that finds addresses through resolve.
func NewLink(client *tls.Config, resolve func(wire.NodeID) (string, bool)) *Link {
	l := &Link{tls: client, resolve: resolve}
	l.mu.conns = map[string]*grpc.ClientConn{}
	l.health = newHealth(l.pulse)
	return l
}

// Suspect tells whether a node seems not to answer: a call found it dead or
// hanging and it has given no sign of life since. Calls to it may still be tried.
func (l *Link) Suspect(node wire.NodeID) bool {
	addr, ok := l.resolve(node)
	return !ok || l.health.suspected(addr)
}

// pulse asks an address for a sign of life.
func (l *Link) pulse(ctx context.Context, addr string) error {
	conn, err := l.conn(addr)
	if err != nil {
		return err
	}
	in, err := messageFrame(&pulse{})
	if err != nil {
		return err
	}
	return conn.Invoke(ctx, methodPrefix+methodPulse, in, new(frame))
}

// Close closes every connection; calls under way fail.
func (l *Link) Close() error {
	defer l.health.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.closed = true
	var errs []error
	for _, c := range l.mu.conns {
		errs = append(errs, c.Close())
	}
	l.mu.conns = map[string]*grpc.ClientConn{}
	return errors.Join(errs...)
}

// Call sends one request to a node and returns its reply. A node that cannot be
// reached gives an error that wraps wire.ErrUnavailable.
func Call[Req, Rep any](ctx context.Context, l *Link, node wire.NodeID, method string, req *Req) (*Rep, error) {
	addr, ok := l.resolve(node)
	if !ok {
		return nil, fmt.Errorf("no address is known for node %s: %w", node, wire.ErrUnavailable)
	}
	return CallAddr[Req, Rep](ctx, l, addr, method, req)
}

// CallAddr is Call by address, for nodes whose id is not known yet.
func CallAddr[Req, Rep any](ctx context.Context, l *Link, addr, method string, req *Req) (*Rep, error) {
	conn, err := l.conn(addr)
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
	w := l.health.watch(addr, cancel)
	err = conn.Invoke(waited, methodPrefix+method, in, &out)
	w.stop()
	if err != nil {
		return nil, l.failed(ctx, addr, err)
	}
	rep := new(Rep)
	if err := out.take(rep); err != nil {
		return nil, err
	}
	return rep, nil
}

// failed is what a call that did not get through means to its caller; an address
// that refuses connections is suspect at once.
func (l *Link) failed(ctx context.Context, addr string, err error) error {
	if grpcstatus.Code(err) == codes.Unavailable && ctx.Err() == nil {
		l.health.suspect(addr)
	}
	return transportError(ctx, err)
}

// ClientStream is the calling side of a stream. Cancel its context to abandon
// it.
type ClientStream struct {
	ctx    context.Context
	cancel context.CancelFunc // ends the stream below ctx
	st     grpc.ClientStream
	link   *Link
	addr   string
}

// Open starts a stream to a node. The stream ends with ctx.
func (l *Link) Open(ctx context.Context, node wire.NodeID, method string) (*ClientStream, error) {
	addr, ok := l.resolve(node)
	if !ok {
		return nil, fmt.Errorf("no address is known for node %s: %w", node, wire.ErrUnavailable)
	}
	conn, err := l.conn(addr)
	if err != nil {
		return nil, err
	}
	s := &ClientStream{ctx: ctx, link: l, addr: addr}
	below, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	w := l.health.watch(addr, cancel)
	s.st, err = conn.NewStream(below, &grpc.StreamDesc{StreamName: method, ServerStreams: true, ClientStreams: true}, methodPrefix+method)
	w.stop()
	if err != nil {
		cancel()
		return nil, l.failed(ctx, addr, err)
	}
	return s, nil
}

// Context is the context the stream was opened with.
func (s *ClientStream) Context() context.Context { return s.ctx }

// Send sends one message.
func (s *ClientStream) Send(v any) error {
	f, err := messageFrame(v)
	if err != nil {
		return err
	}
	w := s.link.health.watch(s.addr, s.cancel)
	defer w.stop()
	if err := s.st.SendMsg(f); err != nil {
		if errors.Is(err, io.EOF) {
			// The server ended the stream: its reason is the next frame.
			var got frame
			if rerr := s.st.RecvMsg(&got); rerr != nil {
				return s.failed(rerr)
			}
			if got.kind == frameError {
				return decodeError(got.data)
			}
		}
		return s.failed(err)
	}
	return nil
}

// Recv receives one message; io.EOF when the server is done.
func (s *ClientStream) Recv(v any) error {
	var f frame
	w := s.link.health.watch(s.addr, s.cancel)
	err := s.st.RecvMsg(&f)
	w.stop()
	if err != nil {
		s.cancel() // nothing comes after an error
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return s.failed(err)
	}
	return f.take(v)
}

func (s *ClientStream) failed(err error) error { return s.link.failed(s.ctx, s.addr, err) }

// CloseSend tells the server that no more messages come.
func (s *ClientStream) CloseSend() error { return s.st.CloseSend() }

func (l *Link) conn(addr string) (*grpc.ClientConn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mu.closed {
		return nil, wire.ErrClosed
	}
	if c, ok := l.mu.conns[addr]; ok {
		return c, nil
	}
	c, err := grpc.NewClient("passthrough:///"+addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()), // TLS is done by dial
		grpc.WithContextDialer(l.dial),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(frameCodec{}), grpc.MaxCallRecvMsgSize(maxFrame), grpc.MaxCallSendMsgSize(maxFrame)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second, PermitWithoutStream: true}),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: 2 * time.Second,
			Backoff: backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}}),
	)
	if err != nil {
		return nil, fmt.Errorf("link to %s: %w", addr, err)
	}
	l.mu.conns[addr] = c
	return c, nil
}

func (l *Link) dial(ctx context.Context, addr string) (net.Conn, error) {
	if l.tls == nil {
		return (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	}
	cfg := l.tls.Clone()
	cfg.NextProtos = []string{protoRPC}
	return (&tls.Dialer{Config: cfg}).DialContext(ctx, "tcp", addr)
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
