package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"shoal/wire"
	"shoal/wire/span"
)

// Stream is one bidirectional exchange of messages. Send and Recv may be used
// by one goroutine each. Recv returns io.EOF when the other side is done.
type Stream interface {
	Context() context.Context
	Send(v any) error
	Recv(v any) error
}

// Server answers the calls of other nodes. Methods may be registered while it serves;
// until then their callers get wire.ErrUnavailable.
type Server struct {
	ctx     context.Context // of all handlers
	stop    context.CancelFunc
	older   *older
	mu      sync.RWMutex // guards methods, closed, live and listeners
	methods map[string]func(Stream) error
	closed  bool
	live    map[*incoming]struct{}
	from    []net.Listener
	work    sync.WaitGroup // of connections
	traffic *Traffic
	tracer  trace.Tracer // nil: no spans
	log     *slog.Logger
	bar     func(caller wire.NodeID, method string) error // may be nil
}

// Bar makes the server ask before every call whether it may answer this caller. It must be
// called before Serve.
func (s *Server) Bar(bar func(caller wire.NodeID, method string) error) { s.bar = bar }

// Count makes the server count in t. It must be called before Serve.
func (s *Server) Count(t *Traffic) { s.traffic = t }

// NewServer makes a server without methods.
func NewServer(log *slog.Logger) *Server {
	s := &Server{methods: map[string]func(Stream) error{}, live: map[*incoming]struct{}{}, traffic: new(Traffic), log: log}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.older = newOlder(s)
	Handle(s, methodPulse, func(context.Context, *pulse) (*pulse, error) { return &pulse{}, nil })
	return s
}

// HandleStream registers a method that exchanges many messages. The handler's
// error reaches the client as the last frame.
func (s *Server) HandleStream(method string, h func(Stream) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.methods[method] = h
}

func (s *Server) method(name string) (func(Stream) error, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	h, ok := s.methods[name]
	return h, ok
}

// Handle registers a method of one request and one reply.
func Handle[Req, Rep any](s *Server, method string, h func(context.Context, *Req) (*Rep, error)) {
	s.HandleStream(method, func(st Stream) error {
		req := new(Req)
		if err := st.Recv(req); err != nil {
			return err
		}
		rep, err := h(st.Context(), req)
		if err != nil {
			return err
		}
		return st.(*exchange).reply(rep)
	})
}

// Serve answers on ln until Close.
func (s *Server) Serve(ln net.Listener) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ln.Close()
	}
	s.from = append(s.from, ln)
	s.mu.Unlock()
	for {
		c, err := ln.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return err
		}
		known, ok := c.(*Conn)
		switch {
		case !ok:
			_ = c.Close() // its identity is unproven
		case known.protocol == protoGRPC:
			s.older.push(known)
		default:
			s.begin(known)
		}
	}
}

// begin answers a connection.
func (s *Server) begin(conn *Conn) {
	c := &incoming{framing: framing{Conn: conn.Conn}, caller: conn.node}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close() // never used
		return
	}
	s.live[c] = struct{}{}
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		s.converse(c)
		c.end()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.live, c)
	}()
}

// converse answers the exchanges of a connection, one after the other, until it ends.
func (s *Server) converse(c *incoming) {
	for {
		open, err := c.next()
		if err != nil {
			return
		}
		if err := s.answer(c, open); err != nil {
			return
		}
	}
}

// answer answers one exchange. An error means that the connection is lost.
func (s *Server) answer(c *incoming, open *frame) error {
	method, told := opened(open.data)
	ctx, cancel := context.WithCancel(context.WithValue(s.ctx, callerKey{}, c.caller))
	defer cancel()
	c.begin(open.exchange, cancel)
	x := &exchange{carrier: c}
	s.serve(ctx, x, method, told)
	c.endExchange()
	if x.left {
		return nil
	}
	return c.fault
}

// serve runs the handler of a method for an exchange and ends the exchange.
func (s *Server) serve(ctx context.Context, x *exchange, method, told string) {
	h, known := s.method(method)
	counted := method
	if !known {
		counted = "unknown" // callers can make up any number of names
	}
	x.counts = s.traffic.method(counted)
	err := s.admits(ctx, method)
	switch {
	case err != nil:
	case !known:
		err = fmt.Errorf("unknown method %s: the other node is just starting, or older: %w", method, wire.ErrUnavailable)
	default:
		var piece span.Span
		x.ctx, piece = s.arrived(ctx, method, told)
		if err = s.run(method, h, x); err != nil {
			piece.Fail(err)
		}
		piece.End()
	}
	x.end(err)
}

// Close ends every call and waits for the handlers.
func (s *Server) Close() {
	s.stop()
	s.mu.Lock()
	s.closed = true
	for _, ln := range s.from {
		_ = ln.Close() // Serve returns
	}
	for c := range s.live {
		_ = c.Close() // it fails only when it was closed before
	}
	s.mu.Unlock()
	s.older.close()
	s.work.Wait()
}

// admits returns nil if the caller may call the method, else the reason why not.
func (s *Server) admits(ctx context.Context, method string) error {
	if caller, known := Caller(ctx); known && s.bar != nil {
		return s.bar(caller, method)
	}
	return nil
}

// run runs a handler. It is no error if the handler ends because the caller is done. A
// panic is logged.
func (s *Server) run(method string, h func(Stream) error, st Stream) error {
	err := wire.Catch(func() error { return h(st) })
	var crash *wire.Crash
	if errors.As(err, &crash) {
		s.log.Error("panic while answering another node", "method", method, "panic", fmt.Sprint(crash.Value), "stack", crash.Stack)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

type callerKey struct{}

// Caller is the node that a handler answers, as named in its certificate. It returns false
// if the identity is unproven.
func Caller(ctx context.Context) (wire.NodeID, bool) {
	node, ok := ctx.Value(callerKey{}).(wire.NodeID)
	return node, ok
}
