package columnist

import (
	"errors"
	"slices"

	"shoal/wire"
)

// discard removes files that a shard has removed from its table, unless they are under
// construction.
func (c *Columnist) discard(names ...string) (err error) {
	for _, name := range names {
		err = errors.Join(err, c.files.unless(name, func() error { return c.folder.Remove(name) }))
	}
	return err
}

// Sweep creates the folder and removes leftovers of unfinished work and dropped shards. It
// returns the number of files of each shard. Call it first.
func (c *Columnist) Sweep() (files map[wire.ShardKey]int, err error) {
	return c.folder.Sweep(former)
}

// SweepShard removes all column files of a shard whose table names none.
func (c *Columnist) SweepShard(key wire.ShardKey) error { return c.sweepShard(key, nil) }

// sweepShard removes the column files of a shard except those in keep.
func (c *Columnist) sweepShard(key wire.ShardKey, keep []note) error {
	names, err := c.folder.Of(key)
	for _, name := range names {
		if !slices.ContainsFunc(keep, func(n note) bool { return n.file == name }) {
			err = errors.Join(err, c.discard(name))
		}
	}
	return err
}
