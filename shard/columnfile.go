package shard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/uuid"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

const (
	columnFolder = "columns"
	columnSuffix = ".columns"
	// unfinishedSuffix ends the name of a file that is being written.
	unfinishedSuffix = ".unfinished"
)

// columnFile is an open file with the columns of some documents of a block.
type columnFile struct {
	*columns.BlockColumns
	name    string
	version uint64 // it was made of
	file    vfs.File
	refs    atomic.Int32
}

// release lets go of a file; the last one to do so closes it.
func (f *columnFile) release() error {
	if f.refs.Add(-1) > 0 {
		return nil
	}
	f.Forget()
	return f.file.Close()
}

// columnGroup are the files of one state of the columns of a shard. Counted: the
// keeper and every version that was given the columns hold it.
type columnGroup struct {
	refs  atomic.Int32
	files []*columnFile
}

func newColumnGroup(files []*columnFile) *columnGroup {
	g := &columnGroup{files: files}
	g.refs.Store(1)
	for _, f := range files {
		f.refs.Add(1)
	}
	return g
}

func (g *columnGroup) release() (err error) {
	if g == nil || g.refs.Add(-1) > 0 {
		return nil
	}
	for _, f := range g.files {
		err = errors.Join(err, f.release())
	}
	return err
}

// size is the length of all files.
func (g *columnGroup) size() (n int64) {
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

func (h *Host) columnPath(name string) string {
	return filepath.Join(h.o.Dir, columnFolder, name)
}

// openColumns opens a file.
func (h *Host) openColumns(name string, made uint64) (*columnFile, error) {
	f, err := h.store.FS.Open(h.columnPath(name))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	b, err := columns.OpenBlock(f, info.Size(), h.pieces)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("columns %s: %w", name, err), f.Close())
	}
	return &columnFile{BlockColumns: b, name: name, version: made, file: f}, nil
}

// writeColumns makes the columns of some documents of a block in a file of its own,
// durable and with its name, and opens it.
func (h *Host) writeColumns(ctx context.Context, v *version.View, block uint16, docs docset.Container) (*columnFile, error) {
	name := fmt.Sprintf("%s%04x-%d-%s%s", columnPrefix(v.Keys().Key), block, v.State().Version, uuid.NewString(), columnSuffix)
	fs, path := h.store.FS, h.columnPath(name)
	unfinished := path + unfinishedSuffix
	f, err := fs.Create(unfinished, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	err = columns.BuildBlock(ctx, v, block, docs, w, h.gate.pacer())
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
		err = h.store.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, h.store.RemoveStaged(unfinished), h.store.RemoveStaged(path))
	}
	return h.openColumns(name, v.State().Version)
}

// removeColumns removes files by name.
func (h *Host) removeColumns(names ...string) (err error) {
	for _, name := range names {
		err = errors.Join(err, h.store.RemoveStaged(h.columnPath(name)))
	}
	return err
}

// sweepColumns removes what unfinished work and dropped shards left behind.
func (h *Host) sweepColumns() error {
	dir := filepath.Join(h.o.Dir, columnFolder)
	if err := h.store.FS.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names, err := h.store.FS.List(dir)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, unfinishedSuffix) {
			err = errors.Join(err, h.removeColumns(name))
			continue
		}
		var key wire.ShardKey
		if _, e := fmt.Sscanf(name, "%08x-%04x-", &key.IndexID, &key.Shard); e != nil || !strings.HasSuffix(name, columnSuffix) {
			continue // not ours
		}
		prefix := columnPrefix(key)
		if _, ok := known[prefix]; !ok {
			_, closer, e := h.store.DB.Get(store.Keyspace{Key: key}.Meta(version.MetaState))
			if known[prefix] = !errors.Is(e, pebble.ErrNotFound); e == nil {
				err = errors.Join(err, closer.Close())
			}
		}
		if !known[prefix] {
			err = errors.Join(err, h.removeColumns(name))
		}
	}
	return err
}

// sweepShard removes the column files of a shard but those named.
func (h *Host) sweepShard(key wire.ShardKey, keep []columnNote) error {
	names, err := h.store.FS.List(filepath.Join(h.o.Dir, columnFolder))
	if err != nil {
		return err
	}
	for _, name := range names {
		wanted := slices.ContainsFunc(keep, func(n columnNote) bool { return n.file == name })
		if strings.HasPrefix(name, columnPrefix(key)) && !strings.HasSuffix(name, unfinishedSuffix) && !wanted {
			err = errors.Join(err, h.removeColumns(name))
		}
	}
	return err
}
