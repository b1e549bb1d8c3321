package driver

import (
	"shoal/coordinator/fanout"
	"shoal/wire"
)

// ask sends each source the step that step returns for it (nil: none), to other nodes at the
// same time, and passes the answers to take.
func (d *drive) ask(step func(i int) *wire.SearchStep, take func(i int, r *wire.SearchReply) error) error {
	return fanout.Ask(d.ctx, d.sessions, step, take)
}

// askOf is ask, limited to the chosen sources.
func (d *drive) askOf(chosen func(i int) bool, step func(i int) *wire.SearchStep, take func(i int, r *wire.SearchReply) error) error {
	return d.ask(func(i int) *wire.SearchStep {
		if !chosen(i) {
			return nil
		}
		return step(i)
	}, take)
}

// all sends every source the same step and returns the answers by source.
func (d *drive) all(s *wire.SearchStep) ([]*wire.SearchReply, error) {
	replies := make([]*wire.SearchReply, len(d.sessions))
	err := d.ask(func(int) *wire.SearchStep { return s }, func(i int, r *wire.SearchReply) error {
		replies[i] = r
		return nil
	})
	return replies, err
}

// done accepts an answer without content.
func done(int, *wire.SearchReply) error { return nil }
