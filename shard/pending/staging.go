package pending

import (
	"errors"
	"path/filepath"
	"strings"

	"shoal/shard/store"
	"shoal/wire"
)

// CopyID is the prefix of the ids of copies, which are staged but never pending.
const CopyID = "copy-"

// Sweep removes files from the staging folder that no pending delta names. Nothing may
// be staged meanwhile.
func (t Table) Sweep() error {
	names, err := t.FS.List(t.Staging)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return nil
	}
	wanted, err := t.files()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !wanted[name] {
			err = errors.Join(err, t.RemoveStaged(filepath.Join(t.Staging, name)))
		}
	}
	return err
}

// files lists the file names of all pending deltas in the store.
func (t Table) files() (map[string]bool, error) {
	out := map[string]bool{}
	it, err := t.DB.NewIter(nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = it.Close() }() // Error was checked
	for more := it.First(); more; {
		key := it.Key()
		if len(key) < store.PrefixLen {
			more = it.Next()
			continue
		}
		// Only generation 0 of a shard has pending deltas.
		shard, generation := store.KeyOf(key), store.GenerationOf(key)
		if table := store.TableOf(key); generation != 0 || table > store.TablePending {
			more = it.SeekGE(store.AppendPrefix(nil, shard, generation, 0xff))
			continue
		} else if table < store.TablePending {
			more = it.SeekGE(store.AppendPrefix(nil, shard, 0, store.TablePending))
			continue
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		head, _, err := decode(value)
		if err != nil {
			return nil, err
		}
		for i := range head.Files {
			out[filepath.Base(t.DeltaPath(&head, i))] = true
		}
		more = it.Next()
	}
	return out, it.Error()
}

// SweepShard removes the staged files of all deltas of a shard, but not those of copies.
func (t Table) SweepShard(shard wire.ShardKey) error {
	names, err := t.FS.List(t.Staging)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, store.StageName(shard, "")) && !strings.HasPrefix(name, store.StageName(shard, CopyID)) {
			err = errors.Join(err, t.RemoveStaged(t.StagePath(name)))
		}
	}
	return err
}
