package columnist

import (
	"errors"
	"slices"
	"strings"

	"shoal/shard/version"
	"shoal/wire"
)

// remove removes files that no shard needs, by name.
func (c *Columnist) remove(names ...string) (err error) {
	for _, name := range names {
		err = errors.Join(err, c.o.Store.RemoveStaged(c.path(name)))
	}
	return err
}

// discard removes files that a shard has removed from its table, unless they are under
// construction.
func (c *Columnist) discard(names ...string) (err error) {
	for _, name := range names {
		err = errors.Join(err, c.files.unless(name, func() error { return c.remove(name) }))
	}
	return err
}

// Sweep creates the folder and removes leftovers of unfinished work and dropped shards. It
// returns the number of files of each shard. Call it first.
func (c *Columnist) Sweep() (files map[wire.ShardKey]int, err error) {
	if err := c.o.Store.FS.MkdirAll(c.o.Dir, 0o755); err != nil {
		return nil, err
	}
	names, err := c.o.Store.FS.List(c.o.Dir)
	if err != nil {
		return nil, err
	}
	files, gone := map[wire.ShardKey]int{}, map[wire.ShardKey]bool{}
	for _, name := range names {
		key, ours := parseName(name)
		switch {
		case strings.HasSuffix(name, unfinishedSuffix) || former(name):
			err = errors.Join(err, c.remove(name))
		case ours:
			if _, asked := gone[key]; !asked {
				var e error
				gone[key], e = version.Gone(c.o.Store, key)
				err = errors.Join(err, e)
			}
			if gone[key] {
				err = errors.Join(err, c.remove(name))
			} else {
				files[key]++
			}
		}
	}
	return files, err
}

// SweepShard removes all column files of a shard whose table names none.
func (c *Columnist) SweepShard(key wire.ShardKey) error { return c.sweepShard(key, nil) }

// sweepShard removes the column files of a shard except those in keep.
func (c *Columnist) sweepShard(key wire.ShardKey, keep []note) error {
	names, err := c.o.Store.FS.List(c.o.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		wanted := slices.ContainsFunc(keep, func(n note) bool { return n.file == name })
		if of, ours := parseName(name); ours && of == key && !wanted {
			err = errors.Join(err, c.discard(name))
		}
	}
	return err
}
