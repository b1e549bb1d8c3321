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
	st     *peer.ClientStream
	cancel context.CancelFunc
	// first is the answer to the step that was sent along with opening.
	first  *wire.SearchReply
	waited time.Duration
}

// Waited is how long the node waited for the version of the session.
func (s *remoteSession) Waited() time.Duration { return s.waited }

// Step implements wire.Session.
func (s *remoteSession) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if sent, err := s.Send(ctx, step); sent {
		return s.Receive(ctx)
	} else if err != nil {
		return nil, err
	}
	reply := s.first
	s.first = nil
	return reply, nil
}

// Send implements fanout.Sender. The answer to the first step may be here already.
func (s *remoteSession) Send(_ context.Context, step *wire.SearchStep) (sent bool, err error) {
	if s.first != nil {
		return false, nil
	}
	if err := s.st.Ask(step); err != nil {
		return false, err
	}
	return true, nil
}

// Receive implements fanout.Sender. A step that is given up with ctx ends the session.
func (s *remoteSession) Receive(ctx context.Context) (*wire.SearchReply, error) {
	stop := context.AfterFunc(ctx, s.cancel)
	defer stop()
	reply := new(wire.SearchReply)
	if err := s.st.Recv(reply); err != nil {
		return nil, streamEnd(err)
	}
	return reply, nil
}

// Close ends the session on both sides.
func (s *remoteSession) Close() error { s.cancel(); s.st.Abandon(); return nil }

var _ fanout.Sender = (*remoteSession)(nil)

// streamEnd: a stream that ends without an answer is a lost replica.
func streamEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return wire.ErrUnavailable
	}
	return err
}

// serveSearch is the other end of a remote session.
func serveSearch(st peer.Stream, h *shard.Host) (err error) {
	var open wire.SearchOpen
	if err := st.Recv(&open); err != nil {
		return err
	}
	begun := time.Now()
	session, err := h.OpenSearch(st.Context(), &open)
	if err != nil {
		return err
	}
	waited := time.Since(begun)
	server := driver.NewPrefetchServer(session, func() (wire.Session, error) { return h.OpenSearch(st.Context(), &open) })
	defer func() { err = errors.Join(err, server.Close()) }()
	reply := &wire.SearchReply{}
	if open.First != nil {
		reply, err = server.Step(st.Context(), open.First)
	}
	if err == nil {
		reply.WaitedMicros = waited.Microseconds()
	}
	for err == nil {
		if err = st.Send(reply); err != nil {
			return err
		}
		step := new(wire.SearchStep)
		if err := st.Recv(step); err != nil {
			return err // io.EOF or the client's cancellation: the search is over
		}
		reply, err = server.Step(st.Context(), step)
	}
	return err
}
