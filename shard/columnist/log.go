package columnist

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
	"shoal/shard/store"
	"shoal/shard/version"
)

// note is an entry of the table for one block and version: changed documents or a file.
type note struct {
	block   uint16
	version uint64
	changed docset.Container
	file    string
}

// noted is the table of one shard.
type noted struct {
	notes []note // in version order, changes before the files that include them
	// whole: the table has all changes; otherwise notes is useless. empty: it has no
	// keys.
	whole, empty bool
}

// readLog reads the table.
func readLog(c *version.Version) (l noted, err error) {
	l.empty = true
	prefix := store.AppendPrefix(nil, c.Keys().Key, 0, store.TableColumns)
	it := c.Borrow(prefix)
	defer c.GiveBack(it)
	for more := it.First(); more; more = it.Next() {
		l.empty = false
		key := it.Key()[len(prefix):]
		if key[0] == store.ColumnMarks {
			value, err := it.ValueAndErr()
			if err != nil {
				return l, err
			}
			upTo, text, ok := store.DecodeMark(value)
			if l.whole = ok && upTo >= c.State().Version && text == c.Keys().Gen.Text; !l.whole {
				return l, nil
			}
			continue
		}
		n := note{block: binary.BigEndian.Uint16(key[1:]), version: binary.BigEndian.Uint64(key[3:])}
		if key[0] == store.ColumnFiles {
			n.file = string(key[11:])
			l.notes = append(l.notes, n)
			continue
		}
		value, err := it.ValueAndErr()
		if err == nil {
			n.changed, _, err = docset.DecodeContainer(value)
		}
		if err != nil {
			return l, fmt.Errorf("shard: changes of columns: %w", err)
		}
		l.notes = append(l.notes, n)
	}
	slices.SortStableFunc(l.notes, func(a, b note) int { // changes come first
		return cmp.Compare(a.version, b.version)
	})
	return l, it.Error()
}

// register adds the file of a job to the table and removes the files that it replaces,
// atomically. A job of all uncovered documents also replaces all changes up to its
// version.
func (k *Keeper) register(j *job, made holding, gone []holding) error {
	b, space := k.by.o.Store.DB.NewBatch(), store.Keyspace{Key: k.key}
	err := b.Set(append(space.ColumnKey(store.ColumnFiles, j.block, made.version), made.name...), nil, nil)
	for _, old := range gone {
		err = errors.Join(err, b.Delete(append(space.ColumnKey(store.ColumnFiles, j.block, old.version), old.name...), nil))
	}
	if j.all {
		lo, hi := space.ColumnKey(store.ColumnChanges, j.block, 0), space.ColumnKey(store.ColumnChanges, j.block, made.version+1)
		err = errors.Join(err, b.DeleteRange(lo, hi, nil))
	}
	if err == nil {
		err = b.Commit(pebble.Sync)
	}
	return errors.Join(err, b.Close())
}

// unregister removes all files of a block from the table.
func (k *Keeper) unregister(block uint16) error {
	space := store.Keyspace{Key: k.key}
	return k.by.o.Store.DB.DeleteRange(space.ColumnKey(store.ColumnFiles, block, 0), space.ColumnKey(store.ColumnFiles, block, 1<<64-1), pebble.Sync)
}
