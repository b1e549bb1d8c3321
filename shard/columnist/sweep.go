package columnist

import (
	"errors"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/store"
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

// discard removes files that a shard has removed from its table, unless another shard
// needs them or they are under construction.
func (c *Columnist) discard(names ...string) (err error) {
	for _, name := range names {
		e := c.files.unless(name, func() error {
			needed, err := c.needed(name)
			if needed || err != nil {
				return err
			}
			return c.remove(name)
		})
		err = errors.Join(err, e)
	}
	return err
}

// needed reports whether some shard's table names a shared file.
func (c *Columnist) needed(name string) (bool, error) {
	of, ok := parseName(name)
	if !ok || len(of.shards) == 1 {
		return false, nil
	}
	for _, shard := range of.shards {
		space := store.Keyspace{Key: wire.ShardKey{IndexID: of.index, Shard: shard}}
		if found, err := c.lists(space, of.block, name); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// lists reports whether the table of a shard names a file of a block.
func (c *Columnist) lists(space store.Keyspace, block uint16, name string) (found bool, err error) {
	lo, hi := space.ColumnKey(store.ColumnFiles, block, 0), space.ColumnKey(store.ColumnFiles, block, 1<<64-1)
	it, err := c.o.Store.DB.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: append(hi, 0xff)})
	if err != nil {
		return false, err
	}
	for more := it.First(); more && !found; more = it.Next() {
		found = string(it.Key()[len(lo):]) == name
	}
	return found, errors.Join(it.Error(), it.Close())
}

// Sweep creates the folder and removes leftovers of unfinished work and dropped shards.
// Call it first.
func (c *Columnist) Sweep() error {
	if err := c.o.Store.FS.MkdirAll(c.o.Dir, 0o755); err != nil {
		return err
	}
	names, err := c.o.Store.FS.List(c.o.Dir)
	if err != nil {
		return err
	}
	gone := map[wire.ShardKey]bool{}
	for _, name := range names {
		of, ours := parseName(name)
		switch {
		case strings.HasSuffix(name, unfinishedSuffix):
			err = errors.Join(err, c.remove(name))
		case !ours:
		case len(of.shards) > 1:
			err = errors.Join(err, c.discard(name))
		default:
			key := wire.ShardKey{IndexID: of.index, Shard: of.shards[0]}
			if _, asked := gone[key]; !asked {
				var e error
				gone[key], e = version.Gone(c.o.Store, key)
				err = errors.Join(err, e)
			}
			if gone[key] {
				err = errors.Join(err, c.remove(name))
			}
		}
	}
	return err
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
		if of, ours := parseName(name); ours && of.tells(key) && !wanted {
			err = errors.Join(err, c.discard(name))
		}
	}
	return err
}
