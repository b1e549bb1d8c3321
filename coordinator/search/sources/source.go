package sources

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator/driver"
	"shoal/coordinator/fanout"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// Fault is the failure of a source. Another node with the same shards may succeed.
type Fault struct {
	Node wire.NodeID
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("node %s: %v", f.Node, f.Err) }

func (f *Fault) Unwrap() error { return f.Err }

// Source is one source of a search: some shards on a node that answers for them together. Its
// session marks failures with the node, so that another one is asked, and counts the rounds. Not
// safe for concurrent use.
type Source struct {
	session wire.Session
	// again opens another session of the same kind.
	again  func() (wire.Session, error)
	opener *Opener
	node   wire.NodeID
	shards []*wire.Shard
	// refused is the error of the first step, which travelled with the opening. It is reported
	// only when the driver sends that step to all sources, because another source may have an
	// error that precedes it.
	refused *apierr.Error
	// front is the session that the driver asks: the source, or its Transcript.
	front  wire.Session
	waited time.Duration // for the version of the index
	rounds int           // rounds so far
	closed bool
}

// Step asks the source. It marks failures of the copy with its node.
func (s *Source) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	s.rounds++
	if s.refused != nil {
		return nil, s.refused
	}
	reply, err := s.session.Step(ctx, step)
	return reply, s.faulty(err)
}

// Send implements fanout.Sender.
func (s *Source) Send(ctx context.Context, step *wire.SearchStep) (sent bool, err error) {
	far, ok := s.session.(fanout.Sender)
	if !ok {
		return false, nil
	}
	if sent, err = far.Send(ctx, step); sent {
		s.rounds++
	}
	return sent, s.faulty(err)
}

// Receive implements fanout.Sender.
func (s *Source) Receive(ctx context.Context) (*wire.SearchReply, error) {
	reply, err := s.session.(fanout.Sender).Receive(ctx)
	return reply, s.faulty(err)
}

// faulty marks failures of the copy with its node.
func (s *Source) faulty(err error) error {
	if err != nil && replica.Failed(err) {
		return &Fault{Node: s.node, Err: err}
	}
	return err
}

// Owns tells whether documents of a slot belong to the source.
func (s *Source) Owns(slot uint16) bool {
	return slices.ContainsFunc(s.shards, func(x *wire.Shard) bool { return uint32(slot) >= x.SlotLo && uint32(slot) < x.SlotHi })
}

// Close ends the session. It is idempotent.
func (s *Source) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.opener.asked.add(s.node, -1)
	if s.session == nil {
		return nil
	}
	return s.session.Close()
}

// inform asks a source of this node about the words of a plan. A source on another node can
// work ahead with the report.
func (s *Source) inform(ctx context.Context, plan *driver.Plan, left time.Duration) ([]*driver.Transcript, error) {
	if s.refused != nil {
		return nil, nil //nolint:nilerr // the first step says so
	}
	known, err := driver.Inform(ctx, s, plan, left)
	if known == nil || err != nil {
		return nil, err
	}
	s.front = known
	return []*driver.Transcript{known}, nil
}

// runAhead returns a function that has the source of this node work ahead, once. It runs in the
// goroutine that would otherwise wait for another node.
func (s *Source) runAhead(ctx context.Context, plan *driver.Plan, until time.Time) func() {
	if s.refused != nil {
		return nil // the first step reports it
	}
	return sync.OnceFunc(func() {
		s.session = driver.RunAhead(ctx, s.session, s.again, &driver.Outlook{Plan: plan, Sources: 2, Left: time.Until(until)})
	})
}
