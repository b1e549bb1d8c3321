package fanout

import (
	"context"

	"shoal/wire"
)

// Sender is a session that may have its answer from far away: it can be asked now and
// heard later.
type Sender interface {
	wire.Session
	// Send asks a step; sent is false when the session would rather be asked by Step,
	// because it answers here.
	Send(ctx context.Context, s *wire.SearchStep) (sent bool, err error)
	// Receive waits for the answer to the step that was sent. Nothing else may be asked
	// before.
	Receive(ctx context.Context) (*wire.SearchReply, error)
}

// Ask asks several sessions at the same time: first it sends the steps to those that are
// far away, then those here work on theirs, then it waits for the others. All of it
// happens in the caller's goroutine. step says what a session is asked, nil for nothing;
// take is told the answers. Errors are those of a Group; after one that is not the
// client's, sessions may have been asked without being heard and must be closed.
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
