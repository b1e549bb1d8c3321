package link

import (
	"context"
	"errors"
	"io"
	"time"

	"shoal/coordinator/driver"
	"shoal/coordinator/fanout"
	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
)

// remoteSession is a session on another node, a fanout.Sender.
type remoteSession struct {
	*stream
	// first is the answer to the step that was sent along with opening.
	first  *wire.SearchReply
	waited time.Duration
	// idle takes the stream when the session is over; nil lets it end.
	idle *streams
	// asked: an answer is to come, or its second part. broken: nothing more can be asked.
	asked, broken, closed bool
}

// Waited is how long the node waited for the version of the session.
func (s *remoteSession) Waited() time.Duration { return s.waited }

// Step implements wire.Session.
func (s *remoteSession) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if reply := s.first; reply != nil {
		s.first = nil
		return reply, nil
	}
	return s.ask(ctx, step)
}

func (s *remoteSession) ask(ctx context.Context, message any) (*wire.SearchReply, error) {
	if err := s.tell(message); err != nil {
		return nil, err
	}
	return s.Receive(ctx)
}

func (s *remoteSession) tell(message any) error {
	s.asked = true
	err := s.Ask(message)
	if err != nil {
		s.broken = true
	}
	return streamEnd(err)
}

// Send implements fanout.Sender. The answer to the first step may be here already.
func (s *remoteSession) Send(_ context.Context, step *wire.SearchStep) (sent bool, err error) {
	if s.first != nil {
		return false, nil
	}
	err = s.tell(step)
	return err == nil, err
}

// Receive implements fanout.Sender. A step that is given up with ctx ends the session.
func (s *remoteSession) Receive(ctx context.Context) (*wire.SearchReply, error) {
	stop := context.AfterFunc(ctx, s.end)
	reply := new(wire.SearchReply)
	err := s.Recv(reply)
	if stopped := stop(); err != nil || !stopped {
		s.broken = true
	}
	if err != nil {
		return nil, streamEnd(err)
	}
	s.asked = reply.Continued
	return reply, nil
}

// Close ends the session on both sides. Its stream is kept for the next one, if it can be.
func (s *remoteSession) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.Abandon()
	if s.idle != nil && !s.asked && !s.broken {
		s.held = true
		s.idle.put(s.stream)
		return nil
	}
	s.end()
	return nil
}

var _ fanout.Sender = (*remoteSession)(nil)

// streamEnd: a stream that ends without an answer is a lost replica.
func streamEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return wire.ErrUnavailable
	}
	return err
}

// serveSearch is the other end of a stream of searches, one after the other.
func serveSearch(st peer.Stream, h *shard.Host) error {
	open := new(wire.SearchOpen)
	if err := st.Recv(open); err != nil {
		return err
	}
	for {
		next, err := serveOne(st, h, open)
		if err != nil {
			return err // io.EOF or the client's cancellation: the search is over
		}
		for next.Release {
			// The session is closed; the stream waits for the next one.
			if next, err = received(st); err != nil {
				return err
			}
		}
		if open = next.Open; open == nil {
			return errNotOpen
		}
		if err := st.Admitted(); err != nil {
			return err
		}
	}
}

// errNotOpen reports a step of a search that is over.
var errNotOpen = errors.New("link: a step without a session")

func received(st peer.Stream) (*wire.SearchStep, error) {
	step := new(wire.SearchStep)
	err := st.Recv(step)
	return step, err
}

// serveOne answers the steps of one search, up to the one that ends it.
func serveOne(st peer.Stream, h *shard.Host, open *wire.SearchOpen) (next *wire.SearchStep, err error) {
	begun := time.Now()
	session, err := h.OpenSearch(st.Context(), open)
	if err != nil {
		return nil, err
	}
	waited := time.Since(begun)
	send := func(reply *wire.SearchReply) error {
		if !begun.IsZero() { // the first one
			reply.Again, reply.WaitedMicros, begun = true, waited.Microseconds(), time.Time{}
		}
		return st.Send(reply)
	}
	server := driver.NewPrefetchServer(session, func() (wire.Session, error) { return h.OpenSearch(st.Context(), open) }, send)
	defer func() { err = errors.Join(err, server.Close()) }()
	reply := &wire.SearchReply{}
	if open.First != nil {
		if reply, err = server.Step(st.Context(), open.First); err != nil {
			return nil, err
		}
	}
	for {
		if err := send(reply); err != nil {
			return nil, err
		}
		step, err := received(st)
		if err != nil || step.Release || step.Open != nil {
			return step, err
		}
		if reply, err = server.Step(st.Context(), step); err != nil {
			return nil, err
		}
	}
}
