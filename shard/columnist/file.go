package columnist

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

const (
	columnSuffix = ".columns"
	// unfinishedSuffix ends the name of a file that is being written.
	unfinishedSuffix = ".unfinished"
)

// file is an open file with the columns of some documents of a block.
type file struct {
	*columns.BlockColumns
	name    string
	version uint64 // it was made of
	handle  vfs.File
	refs    atomic.Int32
}

// release lets go of a file; the last one to do so closes it.
func (f *file) release() error {
	if f.refs.Add(-1) > 0 {
		return nil
	}
	return f.close()
}

// close closes a file that nobody uses.
func (f *file) close() error {
	f.Forget()
	return f.handle.Close()
}

// group are the files of one state of the columns of a shard. Counted: the
// keeper and every version that was given the columns hold it.
type group struct {
	refs  atomic.Int32
	files []*file
}

func newGroup(files []*file) *group {
	g := &group{files: files}
	g.refs.Store(1)
	for _, f := range files {
		f.refs.Add(1)
	}
	return g
}

func (g *group) release() (err error) {
	if g == nil || g.refs.Add(-1) > 0 {
		return nil
	}
	for _, f := range g.files {
		err = errors.Join(err, f.release())
	}
	return err
}

// size is the length of all files.
func (g *group) size() (n int64) {
	if g != nil {
		for _, f := range g.files {
			n += f.Size()
		}
	}
	return n
}

// columnPrefix begins the names of the column files of a shard.
func columnPrefix(key wire.ShardKey) string {
	return fmt.Sprintf("%08x-%04x-", key.IndexID, key.Shard)
}

func (c *Columnist) path(name string) string { return filepath.Join(c.o.Dir, name) }

// open opens a file.
func (c *Columnist) open(name string, made uint64) (*file, error) {
	f, err := c.o.Store.FS.Open(c.path(name))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	b, err := columns.OpenBlock(f, info.Size(), c.pieces)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("columns %s: %w", name, err), f.Close())
	}
	return &file{BlockColumns: b, name: name, version: made, handle: f}, nil
}

// openers is the number of files that are opened at the same time: right after a start
// each waits for the disk, twice.
const openers = 8

// openAll opens the files that are noted, by name. damaged are the blocks with one that
// cannot be used.
func (c *Columnist) openAll(notes []note) (opened map[string]*file, damaged map[uint16]error) {
	opened, damaged = map[string]*file{}, map[uint16]error{}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(openers)
	for _, n := range notes {
		if n.file == "" {
			continue
		}
		group.Go(func() error {
			f, err := c.open(n.file, n.version)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				damaged[n.block] = err
			} else {
				opened[n.file] = f
			}
			return nil
		})
	}
	_ = group.Wait() // what cannot be opened is among the damaged
	return opened, damaged
}

// write makes the columns of some documents of a block in a file of its own,
// durable and with its name, and opens it.
func (c *Columnist) write(ctx context.Context, v *version.View, block uint16, docs docset.Container) (*file, error) {
	name := fmt.Sprintf("%s%04x-%d-%s%s", columnPrefix(v.Keys().Key), block, v.State().Version, uuid.NewString(), columnSuffix)
	fs, path := c.o.Store.FS, c.path(name)
	unfinished := path + unfinishedSuffix
	f, err := fs.Create(unfinished, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	err = columns.BuildBlock(ctx, v, block, docs, w, c.o.Pacer())
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = fs.Rename(unfinished, path)
	}
	if err == nil {
		err = c.o.Store.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, c.o.Store.RemoveStaged(unfinished), c.o.Store.RemoveStaged(path))
	}
	return c.open(name, v.State().Version)
}

// remove removes files by name.
func (c *Columnist) remove(names ...string) (err error) {
	for _, name := range names {
		err = errors.Join(err, c.o.Store.RemoveStaged(c.path(name)))
	}
	return err
}

// Sweep makes the folder and removes what unfinished work and dropped shards left behind.
// It comes before anything else.
func (c *Columnist) Sweep() error {
	if err := c.o.Store.FS.MkdirAll(c.o.Dir, 0o755); err != nil {
		return err
	}
	names, err := c.o.Store.FS.List(c.o.Dir)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, unfinishedSuffix) {
			err = errors.Join(err, c.remove(name))
			continue
		}
		var key wire.ShardKey
		if _, e := fmt.Sscanf(name, "%08x-%04x-", &key.IndexID, &key.Shard); e != nil || !strings.HasSuffix(name, columnSuffix) {
			continue // not ours
		}
		prefix := columnPrefix(key)
		if _, ok := known[prefix]; !ok {
			_, closer, e := c.o.Store.DB.Get(store.Keyspace{Key: key}.Meta(version.MetaState))
			if known[prefix] = !errors.Is(e, pebble.ErrNotFound); e == nil {
				err = errors.Join(err, closer.Close())
			}
		}
		if !known[prefix] {
			err = errors.Join(err, c.remove(name))
		}
	}
	return err
}

// SweepShard removes all column files of a shard.
func (c *Columnist) SweepShard(key wire.ShardKey) error { return c.sweepShard(key, nil) }

// sweepShard removes the column files of a shard but those named.
func (c *Columnist) sweepShard(key wire.ShardKey, keep []note) error {
	names, err := c.o.Store.FS.List(c.o.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		wanted := slices.ContainsFunc(keep, func(n note) bool { return n.file == name })
		if strings.HasPrefix(name, columnPrefix(key)) && !strings.HasSuffix(name, unfinishedSuffix) && !wanted {
			err = errors.Join(err, c.remove(name))
		}
	}
	return err
}
