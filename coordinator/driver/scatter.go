package driver

import (
	"shoal/coordinator/fanout"
	"shoal/wire"
)

// each runs f for every shard i, at the same time when there are several.
func (d *drive) each(f func(i int) error) error {
	if len(d.sessions) == 1 {
		return f(0)
	}
	var g fanout.Group
	for i := range d.sessions {
		g.Go(func() error { return f(i) })
	}
	return g.Wait()
}

// step asks one shard.
func (d *drive) step(i int, s *wire.SearchStep) (*wire.SearchReply, error) {
	return d.sessions[i].Step(d.ctx, s)
}

// all asks every shard the same and returns the answers by shard.
func (d *drive) all(s *wire.SearchStep) ([]*wire.SearchReply, error) {
	replies := make([]*wire.SearchReply, len(d.sessions))
	err := d.each(func(i int) (err error) {
		replies[i], err = d.step(i, s)
		return err
	})
	return replies, err
}

// eachOf is each for the shards that are chosen.
func (d *drive) eachOf(chosen func(i int) bool, f func(i int) error) error {
	return d.each(func(i int) error {
		if !chosen(i) {
			return nil
		}
		return f(i)
	})
}
