package peer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"

	"shoal/wire"
)

// clientCarrier takes frames there and back: a stream of gRPC or a connection of its own.
type clientCarrier interface {
	SendMsg(frame any) error
	RecvMsg(frame any) error
	CloseSend() error
}

// ClientStream is the calling side of a stream. Cancel its context to abandon
// it.
type ClientStream struct {
	ctx    context.Context
	cancel context.CancelFunc // ends the stream below ctx
	st     clientCarrier
	direct bool // st is a connection of its own
	link   *Link
	counts *counts
	at     target
	spare  bool // another node can be asked instead
	// waits is the watch over an answer that was asked for and has not come.
	waits *watched
}

// Open starts a stream to a node. The stream ends with ctx.
func (l *Link) Open(ctx context.Context, node wire.NodeID, method string) (*ClientStream, error) {
	return l.open(ctx, node, method, false)
}

// OpenSpare is Open for what another node has, too: a node that does not answer is given
// up sooner.
func (l *Link) OpenSpare(ctx context.Context, node wire.NodeID, method string) (*ClientStream, error) {
	return l.open(ctx, node, method, true)
}

func (l *Link) open(ctx context.Context, node wire.NodeID, method string, spare bool) (*ClientStream, error) {
	addr, ok := l.resolve(node)
	if !ok {
		return nil, fmt.Errorf("no address is known for node %s: %w", node, wire.ErrUnavailable)
	}
	at := target{node, addr}
	conn, err := l.conn(at)
	if err != nil {
		return nil, err
	}
	s := &ClientStream{ctx: ctx, link: l, counts: l.traffic.method(method), at: at, spare: spare}
	below, cancel := context.WithCancel(carrying(ctx))
	s.cancel = cancel
	w := l.health.watch(at, spare, cancel)
	s.st, err = conn.NewStream(below, &grpc.StreamDesc{StreamName: method, ServerStreams: true, ClientStreams: true}, methodPrefix+method)
	w.stop()
	if err != nil {
		cancel()
		return nil, l.failed(ctx, at, err)
	}
	return s, nil
}

// Context is the context the stream was opened with.
func (s *ClientStream) Context() context.Context { return s.ctx }

// Ask sends one message whose answer Recv is called for, be it later: from now on the
// node is given up when it shows no sign of life. Send and Recv in one goroutine do the
// same with twice the watching.
func (s *ClientStream) Ask(v any) error {
	w := s.link.health.watch(s.at, s.spare, s.cancel)
	if err := s.send(v); err != nil {
		w.stop()
		return err
	}
	s.waits = w
	return nil
}

// Send sends one message.
func (s *ClientStream) Send(v any) error {
	w := s.link.health.watch(s.at, s.spare, s.cancel)
	defer w.stop()
	return s.send(v)
}

// Notify sends one message that nobody waits for. That it does not get through says
// nothing about the node: it may have gone and come back since the stream was used.
func (s *ClientStream) Notify(v any) error {
	f, err := messageFrame(v)
	if err != nil {
		return err
	}
	s.counts.add(Sent, f)
	return s.st.SendMsg(f)
}

func (s *ClientStream) send(v any) error {
	f, err := messageFrame(v)
	if err != nil {
		return err
	}
	s.counts.add(Sent, f)
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

// Direct tells whether the stream is a connection of its own (Link.Straighten).
func (s *ClientStream) Direct() bool { return s.direct }

// Spare says whether another node can be asked instead from now on (OpenSpare).
func (s *ClientStream) Spare(spare bool) { s.spare = spare }

// Current tells whether the stream leads to where its node is now, as far as is known.
func (s *ClientStream) Current() bool {
	addr, ok := s.link.resolve(s.at.node)
	return ok && addr == s.at.addr
}

// Abandon ends the wait for an answer that is not wanted any more; the context of the
// stream ends the stream.
func (s *ClientStream) Abandon() {
	if s.waits != nil {
		s.waits.stop()
		s.waits = nil
	}
}

// Recv receives one message; io.EOF when the server is done.
func (s *ClientStream) Recv(v any) error {
	var f frame
	w := s.waits
	if s.waits = nil; w == nil {
		w = s.link.health.watch(s.at, s.spare, s.cancel)
	}
	err := s.st.RecvMsg(&f)
	w.stop()
	if err != nil {
		s.cancel() // nothing comes after an error
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return s.failed(err)
	}
	s.counts.add(Received, &f)
	return f.take(v)
}

func (s *ClientStream) failed(err error) error { return s.link.failed(s.ctx, s.at, err) }

// CloseSend tells the server that no more messages come.
func (s *ClientStream) CloseSend() error { return s.st.CloseSend() }
