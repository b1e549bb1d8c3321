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

// note is what the table tells of one block at one version: changed documents or
// a file.
type note struct {
	block   uint16
	version uint64
	changed docset.Container
	file    string
}

// noted is what the table tells of one shard.
type noted struct {
	notes []note // in the order of versions, changes before the files that know of them
	// whole: it tells all changes; else notes says nothing. empty: it has no key at all.
	whole, empty bool
}

// readLog reads the table.
func readLog(c *version.Version) (l noted, err error) {
	l.empty = true
	it := c.Borrow()
	defer c.GiveBack(it)
	prefix := store.AppendPrefix(nil, c.Keys().Key, 0, store.TableColumns)
	for more := it.SeekGE(prefix); more && store.TablePrefixed(it.Key(), prefix); more = it.Next() {
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
	slices.SortStableFunc(l.notes, func(a, b note) int { // changes stand first
		return cmp.Compare(a.version, b.version)
	})
	return l, it.Error()
}

// register puts a file into the table and takes those out that it makes up for. all
// tells that it covers every document of the block that was not covered before: then
// it makes up for all changes that it knows of.
func (k *Keeper) register(f *file, all bool, gone []*file) error {
	space, block := store.Keyspace{Key: k.key}, f.Block()
	b := k.by.o.Store.DB.NewBatch()
	err := b.Set(append(space.ColumnKey(store.ColumnFiles, block, f.version), f.name...), nil, nil)
	for _, old := range gone {
		err = errors.Join(err, b.Delete(append(space.ColumnKey(store.ColumnFiles, block, old.version), old.name...), nil))
	}
	if all {
		err = errors.Join(err, b.DeleteRange(space.ColumnKey(store.ColumnChanges, block, 0), space.ColumnKey(store.ColumnChanges, block, f.version+1), nil))
	}
	if err == nil {
		err = b.Commit(pebble.Sync)
	}
	return errors.Join(err, b.Close())
}

// unregister takes all files of a block out of the table.
func (k *Keeper) unregister(block uint16) error {
	space := store.Keyspace{Key: k.key}
	return k.by.o.Store.DB.DeleteRange(space.ColumnKey(store.ColumnFiles, block, 0), space.ColumnKey(store.ColumnFiles, block, 1<<64-1), pebble.Sync)
}
