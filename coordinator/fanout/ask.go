package fanout

import (
	"context"

	"shoal/wire"
)

// Sender is a session whose answer may come from another node. Sending and receiving are
// separate calls.
type Sender interface {
	wire.Session
	// Send sends a step. sent is false when the session answers on this node; then call Step.
	Send(ctx context.Context, s *wire.SearchStep) (sent bool, err error)
	// Receive waits for the answer to the step that was sent. Send nothing else before.
	Receive(ctx context.Context) (*wire.SearchReply, error)
}

// Ask asks several sessions concurrently, in the caller's goroutine: it sends the steps for
// other nodes, has the sessions on this node answer theirs, then waits for the other nodes.
// step returns the step of a session, nil for none; take gets the answers. Errors are those of
// a Group. After an error that is not the client's, answers may be outstanding and the sessions
// must be closed.
func Ask(ctx context.Context, sessions []wire.Session, step func(i int) *wire.SearchStep, take func(i int, r *wire.SearchReply) error) error {
	if len(sessions) == 1 {
		return one(ctx, sessions[0], step(0), func(r *wire.SearchReply) error { return take(0, r) })
	}
	var v verdict
	here := make([]*wire.SearchStep, len(sessions))
	far := make([]Sender, len(sessions))
	for i, s := range sessions {
		if here[i] = step(i); here[i] == nil {
			continue
		}
		if f, ok := s.(Sender); ok {
			sent, err := f.Send(ctx, here[i])
			if err != nil && v.note(err, i) {
				return err
			}
			if sent {
				far[i] = f
			}
			if sent || err != nil {
				here[i] = nil
			}
		}
	}
	for i, s := range sessions {
		if here[i] == nil {
			continue
		}
		err := wire.Catch(func() error {
			return one(ctx, s, here[i], func(r *wire.SearchReply) error { return take(i, r) })
		})
		if err != nil && v.note(err, i) {
			return err
		}
	}
	for i, f := range far {
		if f == nil {
			continue
		}
		r, err := f.Receive(ctx)
		if err == nil {
			err = take(i, r)
		}
		if err != nil && v.note(err, i) {
			return err
		}
	}
	return v.error()
}

func one(ctx context.Context, s wire.Session, step *wire.SearchStep, take func(*wire.SearchReply) error) error {
	if step == nil {
		return nil
	}
	r, err := s.Step(ctx, step)
	if err != nil {
		return err
	}
	return take(r)
}
