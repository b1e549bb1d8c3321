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
	stream *peer.ClientStream
	// reused: the connection has carried other exchanges before.
	reused bool
	// first is the answer to the step that was sent together with the opening.
	first *wire.SearchReply
	// waited is how long the node waited for the version, meanwhile how long
	// SearchOpen.Meanwhile took.
	waited, meanwhile time.Duration
	// asked: an answer, or its second part, is still to come. broken: no more steps can be
	// sent.
	asked, broken, closed bool
}

// open begins the session. It outlives ctx.
func (s *remoteSession) open(ctx context.Context, link *peer.Link, node wire.NodeID, req *wire.SearchOpen) error {
	st, err := link.OpenLasting(ctx, node, methodSearch, req.Spare)
	if err != nil {
		return err
	}
	s.stream, s.reused = st, st.Reused()
	if err = s.tell(req); err == nil && req.Meanwhile != nil {
		begun := time.Now()
		req.Meanwhile()
		s.meanwhile = time.Since(begun)
	}
	var reply *wire.SearchReply
	if err == nil {
		reply, err = s.Receive(ctx)
	}
	if err != nil {
		st.Close()
		return err
	}
	// The first reply says that the View is open, and answers the first step.
	s.waited = time.Duration(reply.WaitedMicros) * time.Microsecond
	if req.First != nil {
		s.first = reply
	}
	return nil
}

// Waited is how long the node waited for the version of the session.
func (s *remoteSession) Waited() time.Duration { return s.waited }

// Step implements wire.Session.
func (s *remoteSession) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if reply := s.first; reply != nil {
		s.first = nil
		return reply, nil
	}
	if err := s.tell(step); err != nil {
		return nil, err
	}
	return s.Receive(ctx)
}

func (s *remoteSession) tell(message any) error {
	s.asked = true
	err := s.stream.Ask(message)
	if err != nil {
		s.broken = true
	}
	return streamEnd(err)
}

// Send implements fanout.Sender. The answer to the first step may already be here.
func (s *remoteSession) Send(_ context.Context, step *wire.SearchStep) (sent bool, err error) {
	if s.first != nil {
		return false, nil
	}
	err = s.tell(step)
	return err == nil, err
}

// Receive implements fanout.Sender. If ctx ends during a step, the session ends.
func (s *remoteSession) Receive(ctx context.Context) (*wire.SearchReply, error) {
	stop := context.AfterFunc(ctx, s.stream.Close)
	reply := new(wire.SearchReply)
	err := s.stream.Recv(reply)
	if stopped := stop(); err != nil || !stopped {
		s.broken = true
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, streamEnd(err)
	}
	s.asked = reply.Continued
	return reply, nil
}

// Close ends the session on both sides.
func (s *remoteSession) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.asked || s.broken {
		s.stream.Abandon()
		s.stream.Close()
		return nil
	}
	s.stream.Leave()
	return nil
}

var _ fanout.Sender = (*remoteSession)(nil)

// streamEnd turns the end of a stream without an answer into a lost replica.
func streamEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return wire.ErrUnavailable
	}
	return err
}

// serveSearch is the serving side of a session.
func serveSearch(st peer.Stream, s *shard.Searches) (err error) {
	open := new(wire.SearchOpen)
	if err := st.Recv(open); err != nil {
		return err
	}
	begun := time.Now()
	session, err := s.OpenSearch(st.Context(), open)
	if err != nil {
		return err
	}
	waited := time.Since(begun)
	first := true
	send := func(reply *wire.SearchReply) error {
		if first {
			reply.WaitedMicros, first = waited.Microseconds(), false
		}
		return st.Send(reply)
	}
	server := driver.NewPrefetchServer(session, func() (wire.Session, error) { return s.OpenSearch(st.Context(), open) }, send)
	defer func() { err = errors.Join(err, server.Close()) }()
	reply := &wire.SearchReply{}
	if open.First != nil {
		if reply, err = server.Step(st.Context(), open.First); err != nil {
			return err
		}
	}
	for {
		if err := send(reply); err != nil {
			return err
		}
		step := new(wire.SearchStep)
		if err := st.Recv(step); err != nil {
			return err // io.EOF or the caller's cancellation: the search is over
		}
		if reply, err = server.Step(st.Context(), step); err != nil {
			return err
		}
	}
}
