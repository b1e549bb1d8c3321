package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"shoal/wire"
	"shoal/wire/span"
)

// ClientStream is the calling side of an exchange of many messages. One goroutine at a time
// may use it, but for Close, which may be called from any.
type ClientStream struct {
	ctx    context.Context
	conn   *connection
	link   *Link
	counts *counts
	care   care
	reused bool // conn has carried exchanges before
	// open begins the exchange; it is sent along with the first message.
	open *frame
	// unwatch ends the watch over ctx; false: ctx has ended the stream.
	unwatch func() bool
	over    atomic.Bool // conn is given back or closed
	// waits is the watch over an answer that was asked for and has not come.
	waits *watched
}

// care says how a wait for the node is watched.
type care uint8

const (
	// spared: another node can be asked instead. This one is given up sooner.
	spared care = 1 << iota
	// unguarded waits are not watched: they are signs of life themselves.
	unguarded
)

// Open starts a stream to a node. The stream ends with ctx.
func (l *Link) Open(ctx context.Context, node wire.NodeID, method string) (*ClientStream, error) {
	return l.open(ctx, ctx, node, method, 0)
}

// OpenLasting is Open for a stream that outlives ctx: it lasts until Close or Leave. spare
// says that another node has the same data. A node that does not answer is then given up
// sooner.
func (l *Link) OpenLasting(ctx context.Context, node wire.NodeID, method string, spare bool) (*ClientStream, error) {
	var how care
	if spare {
		how = spared
	}
	return l.open(ctx, context.WithoutCancel(ctx), node, method, how)
}

func (l *Link) open(ctx, life context.Context, node wire.NodeID, method string, how care) (*ClientStream, error) {
	addr, ok := l.resolve(node)
	if !ok {
		return nil, fmt.Errorf("no address is known for node %s: %w", node, wire.ErrUnavailable)
	}
	s, err := l.begin(ctx, target{node, addr}, method, how)
	if err != nil {
		return nil, err
	}
	s.watch(life)
	return s, nil
}

// begin takes a connection for an exchange. The caller calls watch next.
func (l *Link) begin(ctx context.Context, at target, method string, how care) (*ClientStream, error) {
	free, c, err := l.pool.unused(at)
	reused := c != nil
	if c == nil && err == nil {
		below, cancel := context.WithCancel(ctx)
		defer cancel()
		w := l.guard(at, how, cancel)
		c, reused, err = l.pool.await(below, at, free)
		w.stop()
	}
	if err != nil {
		return nil, l.failed(ctx, at, err)
	}
	c.exchange++
	c.held = false
	s := &ClientStream{ctx: ctx, conn: c, link: l, counts: l.traffic.method(method), care: how, reused: reused}
	name := []byte(method)
	if told := span.Leaving(ctx); told != "" && !c.older {
		name = append(append(name, 0), told...)
	}
	s.open = &frame{kind: frameOpen, exchange: c.exchange, data: name}
	return s, nil
}

// guard watches a wait for a node; gone is called when the node shows no sign of life.
func (l *Link) guard(at target, how care, gone func()) *watched {
	if how&unguarded != 0 {
		return nil
	}
	return l.health.watch(at, how&spared != 0, gone)
}

func (s *ClientStream) guard() *watched { return s.link.guard(s.conn.at, s.care, s.cut) }

// watch ends the stream with a context.
func (s *ClientStream) watch(ctx context.Context) {
	s.ctx = ctx
	s.unwatch = func() bool { return true }
	if ctx.Done() != nil {
		s.unwatch = context.AfterFunc(ctx, s.cut)
	}
}

// Close ends the stream at once, with its connection; an exchange that is over is left alone.
// It may be called from any goroutine.
func (s *ClientStream) Close() {
	s.cut()
	s.unwatch()
}

func (s *ClientStream) cut() {
	if s.over.CompareAndSwap(false, true) {
		s.link.pool.drop(s.conn)
	}
}

// Leave ends a stream whose answers have all come, and keeps its connection for the next
// exchange. The handler on the other side gets io.EOF, soon.
func (s *ClientStream) Leave() {
	s.Abandon()
	s.finish(s.open == nil)
}

// finish gives the connection back.
func (s *ClientStream) finish(held bool) {
	if !s.unwatch() {
		s.cut() // the end of the context is cutting the stream
		return
	}
	if s.over.CompareAndSwap(false, true) {
		s.link.pool.put(s.conn, held)
	}
}

// Ask sends one message. The caller receives the answer with Recv, now or later. From Ask on,
// the node is given up when it shows no sign of life. Send followed by Recv does the same, but
// begins two watches instead of one.
func (s *ClientStream) Ask(v any) error {
	w := s.guard()
	if err := s.send(v); err != nil {
		w.stop()
		return err
	}
	s.waits = w
	return nil
}

// Send sends one message.
func (s *ClientStream) Send(v any) error {
	w := s.guard()
	defer w.stop()
	return s.send(v)
}

func (s *ClientStream) send(v any) error {
	f, err := messageFrame(v)
	if err != nil {
		return err
	}
	s.counts.add(Sent, f)
	return s.write(f)
}

// write sends a frame, behind the one that begins the exchange if that was not sent yet. f
// may be nil.
func (s *ClientStream) write(f *frame) error {
	frames := make([]*frame, 0, 2)
	if s.open != nil {
		frames = append(frames, s.open)
		s.open = nil
	}
	if f != nil {
		f.exchange = s.conn.exchange
		frames = append(frames, f)
	}
	if s.over.Load() {
		return s.failed(errEnded)
	}
	if err := s.conn.send(frames...); err != nil {
		s.Close()
		var long *tooLong
		if errors.As(err, &long) {
			return err
		}
		return s.failed(err)
	}
	return nil
}

// errEnded: the stream was closed, or everything was received.
var errEnded = fmt.Errorf("peer: the stream has ended: %w", wire.ErrUnavailable)

// Reused tells whether the connection carried earlier exchanges, so that its node may have
// gone away and come back since.
func (s *ClientStream) Reused() bool { return s.reused }

// Abandon ends the watch over an answer that the caller will not receive.
func (s *ClientStream) Abandon() {
	if s.waits != nil {
		s.waits.stop()
		s.waits = nil
	}
}

// once sends the only message of the stream and receives the only answer.
func (s *ClientStream) once(req, rep any) error {
	if err := s.Ask(req); err != nil {
		return err
	}
	err := s.Recv(rep)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("peer: no answer: %w", wire.ErrUnavailable)
	}
	s.Leave()
	return err
}

// Recv receives one message; io.EOF when the server is done.
func (s *ClientStream) Recv(v any) error {
	f, err := s.receive()
	if err != nil {
		return err
	}
	if f.ends() {
		s.finish(false)
	}
	return f.take(v)
}

// receive waits for a frame of this exchange. After an error the stream is closed.
func (s *ClientStream) receive() (*frame, error) {
	if s.open != nil {
		if err := s.write(nil); err != nil {
			return nil, err
		}
	}
	w := s.waits
	if s.waits = nil; w == nil {
		w = s.guard()
	}
	defer w.stop()
	if s.over.Load() {
		return nil, s.failed(errEnded)
	}
	f := new(frame)
	for {
		if err := s.conn.receive(f); err != nil {
			s.Close()
			return nil, s.failed(err)
		}
		if s.conn.older || f.exchange == s.conn.exchange {
			break
		}
	}
	if f.kind != frameEnd {
		s.counts.add(Received, f)
	}
	return f, nil
}

func (s *ClientStream) failed(err error) error { return s.link.failed(s.ctx, s.conn.at, err) }

// CloseSend tells the server that no more messages come.
func (s *ClientStream) CloseSend() error { return s.write(&frame{kind: frameEnd}) }

// Upload calls a method of a node, lets send send its messages, and waits for the one answer.
// An answer that comes early ends the sending; it says why. Upload returns an error of send
// unchanged.
func Upload(ctx context.Context, l *Link, node wire.NodeID, method string, send func(send func(any) error) error, answer any) error {
	s, err := l.Open(ctx, node, method)
	if err != nil {
		return err
	}
	if err := s.write(nil); err != nil {
		return err
	}
	var early atomic.Bool
	var got *frame
	var fault error // of receiving
	var receiving sync.WaitGroup
	receiving.Go(func() {
		got, fault = s.receive()
		early.Store(true)
	})
	var stopped bool // the connection, or an early answer, ended the sending
	err = send(func(v any) error {
		if early.Load() {
			stopped = true
			return errEnded
		}
		w := s.guard()
		defer w.stop()
		err := s.send(v)
		stopped = stopped || err != nil
		return err
	})
	if err != nil && !stopped {
		s.Close() // no answer will come
	}
	receiving.Wait()
	switch {
	case err != nil && !stopped:
		return err
	case fault != nil:
		return fault
	case got.ends():
		s.finish(false)
	default:
		s.Close() // the other side is older
	}
	if err := got.take(answer); !errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("peer: no answer to %s: %w", method, wire.ErrUnavailable)
}
