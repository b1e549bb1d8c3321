package columnist

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"shoal/shard/rank/columns"
	"shoal/shard/version"
)

// file is an open file with the columns of some documents of a block. Reference
// counted: whoever opened it and every group with it hold references.
type file struct {
	*columns.BlockColumns
	name   string
	handle vfs.File
	refs   atomic.Int32
}

// release releases a reference. The last one closes the file.
func (f *file) release() error {
	if f.refs.Add(-1) > 0 {
		return nil
	}
	f.Forget()
	return f.handle.Close()
}

// holding is a file with the version of the shard that it was built from.
type holding struct {
	*file
	version uint64
}

// group are the files of one state of a shard's columns. Reference counted: the keeper
// and every version with the columns hold references.
type group struct {
	refs atomic.Int32
	held []holding
}

// newGroup returns a group that holds the files, with one reference for the caller.
func newGroup(held []holding) *group {
	g := &group{held: held}
	g.refs.Store(1)
	for _, h := range held {
		h.refs.Add(1)
	}
	return g
}

func (g *group) release() (err error) {
	if g == nil || g.refs.Add(-1) > 0 {
		return nil
	}
	for _, h := range g.held {
		err = errors.Join(err, h.release())
	}
	return err
}

// open opens a file. The caller gets a reference.
func (c *Columnist) open(name string) (*file, error) {
	f, err := c.o.Store.FS.Open(c.folder.File(name), vfs.RandomReadsOption)
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
	opened := &file{BlockColumns: b, name: name, handle: f}
	opened.refs.Store(1)
	return opened, nil
}

// openers is the number of files that are opened concurrently. Right after a start,
// each waits for the disk twice.
const openers = 8

// openAll opens the noted files and returns them by name. damaged has the errors by
// block.
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
			f, err := c.open(n.file)
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
	_ = group.Wait() // errors are in damaged
	return opened, damaged
}

// write builds the columns of a job, makes their file durable under its name, and opens
// it. The file is safe from removal until c.files.end is called, though no shard's
// table names it yet.
func (c *Columnist) write(ctx context.Context, j *job) (*file, error) {
	name := j.name()
	c.files.begin(name)
	f, err := c.writeAs(ctx, j, name)
	if err != nil {
		c.files.end(name)
	}
	return f, err
}

// pacer returns what the construction of a job calls regularly.
func (c *Columnist) pacer(j *job) func(context.Context) error {
	if j.urgent {
		return func(ctx context.Context) error { return ctx.Err() }
	}
	return c.o.Pacer()
}

func (c *Columnist) writeAs(ctx context.Context, j *job, name string) (*file, error) {
	fs, path := c.o.Store.FS, c.folder.File(name)
	unfinished := path + version.Unfinished
	f, err := fs.Create(unfinished, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	err = columns.BuildBlock(ctx, j.view, j.block, j.docs, w, c.pacer(j))
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
	return c.open(name)
}
