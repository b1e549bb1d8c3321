package driver

import (
	"shoal/coordinator/fanout"
	"shoal/wire"
)

// ask asks the sources for which step says something, those of other nodes at the same
// time, and gives the answers to take.
func (d *drive) ask(step func(i int) *wire.SearchStep, take func(i int, r *wire.SearchReply) error) error {
	return fanout.Ask(d.ctx, d.sessions, step, take)
}

// askOf is ask for the sources that are chosen.
func (d *drive) askOf(chosen func(i int) bool, step func(i int) *wire.SearchStep, take func(i int, r *wire.SearchReply) error) error {
	return d.ask(func(i int) *wire.SearchStep {
		if !chosen(i) {
			return nil
		}
		return step(i)
	}, take)
}

// all asks every source the same and returns the answers by source.
func (d *drive) all(s *wire.SearchStep) ([]*wire.SearchReply, error) {
	replies := make([]*wire.SearchReply, len(d.sessions))
	err := d.ask(func(int) *wire.SearchStep { return s }, func(i int, r *wire.SearchReply) error {
		replies[i] = r
		return nil
	})
	return replies, err
}

// done takes an answer that says nothing.
func done(int, *wire.SearchReply) error { return nil }
