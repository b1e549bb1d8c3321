package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	grpcstatus "google.golang.org/grpc/status"

	"shoal/wire"
)

// maxFrame bounds one message; larger contents are streamed in chunks.
const maxFrame = 64 << 20

// workers is how many goroutines answer one stream after the other; streams that find them
// all at work have one of their own.
const workers = 16

// Stream is one bidirectional exchange of messages. Send and Recv may be used
// by one goroutine each. Recv returns io.EOF when the other side is done.
type Stream interface {
	Context() context.Context
	// Admitted returns the reason why the caller is not answered any more, nil when it is:
	// for streams that last.
	Admitted() error
	Send(v any) error
	Recv(v any) error
}

// Server answers the calls of other nodes. Methods may be registered while it serves;
// until then their callers get wire.ErrUnavailable.
type Server struct {
	grpc    *grpc.Server
	direct  directServer
	mu      sync.RWMutex // guards methods
	methods map[string]func(Stream) error
	traffic *Traffic
	tracer  trace.Tracer // nil: no spans
	log     *slog.Logger
	bar     func(caller wire.NodeID, method string) error // may be nil
}

// Bar makes the server ask before every call whether it answers this caller. It must
// be called before Serve.
func (s *Server) Bar(bar func(caller wire.NodeID, method string) error) { s.bar = bar }

// Count has the server count in t. It must be called before Serve.
func (s *Server) Count(t *Traffic) { s.traffic = t }

// NewServer makes a server without methods.
func NewServer(log *slog.Logger) *Server {
	s := &Server{methods: map[string]func(Stream) error{}, traffic: new(Traffic), log: log}
	Handle(s, methodPulse, func(context.Context, *pulse) (*pulse, error) { return &pulse{}, nil })
	s.grpc = grpc.NewServer(
		grpc.Creds(proven{}),
		grpc.ForceServerCodecV2(frameCodec{}),
		grpc.UnknownServiceHandler(s.dispatch),
		// A search needs a deep stack; goroutines that are used again have it.
		grpc.NumStreamWorkers(workers),
		grpc.WaitForHandlers(true), // they use what is closed next
		grpc.MaxRecvMsgSize(maxFrame), grpc.MaxSendMsgSize(maxFrame),
		grpc.StaticStreamWindowSize(streamWindow), grpc.StaticConnWindowSize(linkWindow),
		// A caller that was cut off would hold its sessions, and the state they read,
		// for two hours.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	)
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
		return st.Send(rep)
	})
}

// HandleEach registers a method whose requests come one after the other on a stream, each
// answered before the next one is read. An error ends the stream.
func HandleEach[Req, Rep any](s *Server, method string, h func(context.Context, *Req) (*Rep, error)) {
	s.HandleStream(method, func(st Stream) error {
		for {
			req := new(Req)
			if err := st.Recv(req); err != nil {
				return err
			}
			if err := st.Admitted(); err != nil {
				return err
			}
			rep, err := h(st.Context(), req)
			if err == nil {
				err = st.Send(rep)
			}
			if err != nil {
				return err
			}
		}
	})
}

// Serve answers on ln until Close.
func (s *Server) Serve(ln net.Listener) error {
	err := s.grpc.Serve(apart{ln, s})
	if errors.Is(err, grpc.ErrServerStopped) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Close ends every call and waits for the handlers.
func (s *Server) Close() {
	s.direct.close()
	s.grpc.Stop()
}

func (s *Server) dispatch(_ any, st grpc.ServerStream) error {
	full, _ := grpc.MethodFromServerStream(st)
	name := strings.TrimPrefix(full, methodPrefix)
	admitted := s.admits(st.Context(), name)
	if err := admitted(); err != nil {
		return st.SendMsg(errorFrame(err))
	}
	h, ok := s.method(name)
	if !ok {
		return grpcstatus.Errorf(codes.Unimplemented, "unknown method %s: the other node is just starting, or older", full)
	}
	ctx, piece := s.arrived(st.Context(), name)
	defer piece.End()
	err := s.answer(name, h, serverStream{st, s.traffic.method(name), ctx, admitted})
	if err == nil {
		return nil
	}
	piece.Fail(err)
	return st.SendMsg(errorFrame(err))
}

// admits returns what tells whether the caller of a method is answered now.
func (s *Server) admits(ctx context.Context, method string) func() error {
	return func() error {
		if caller, known := Caller(ctx); known && s.bar != nil {
			return s.bar(caller, method)
		}
		return nil
	}
}

// answer runs a handler. Its end because the caller is done is no error; a crash is logged.
func (s *Server) answer(method string, h func(Stream) error, st Stream) error {
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

func errorFrame(err error) *frame { return &frame{kind: frameError, data: encodeError(err)} }

// serverCarrier takes frames there and back: a stream of gRPC or a connection of its own.
type serverCarrier interface {
	SendMsg(frame any) error
	RecvMsg(frame any) error
}

type serverStream struct {
	serverCarrier
	counts   *counts
	ctx      context.Context
	admitted func() error
}

func (s serverStream) Admitted() error { return s.admitted() }

func (s serverStream) Context() context.Context { return s.ctx }

func (s serverStream) Send(v any) error {
	f, err := messageFrame(v)
	if err != nil {
		return err
	}
	s.counts.add(Sent, f)
	return s.SendMsg(f)
}

func (s serverStream) Recv(v any) error {
	var f frame
	if err := s.RecvMsg(&f); err != nil {
		return err
	}
	s.counts.add(Received, &f)
	return f.take(v)
}
