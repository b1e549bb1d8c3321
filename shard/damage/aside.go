package damage

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
	"shoal/wire"
)

// asideFolder holds a store that could not be opened. It stays beside the store in use
// until other nodes have sent every shard that it held.
const asideFolder = "store.damaged"

// Unreadable reports whether an error of shard.Open means that the disk lost part of the
// store. Opening it again would fail, too.
func Unreadable(err error) bool {
	for _, passing := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EROFS, fs.ErrPermission} {
		if errors.Is(err, passing) {
			return false
		}
	}
	return store.Damaged(err) || errors.Is(err, pebble.ErrDBDoesNotExist) || errors.Is(err, fs.ErrNotExist)
}

// SetAside moves an Unreadable store away so that shard.Open can create an empty one. keys
// are the shards that the store held. They count as damaged until copies arrive, so
// another node must hold each of them. dir is the folder
// of the node's shards. The store must be closed.
func SetAside(files vfs.FS, dir string, keys []wire.ShardKey) error {
	if files == nil {
		files = vfs.Default
	}
	d := &Register{fs: files, dir: files.PathJoin(dir, folder)}
	if err := files.MkdirAll(d.dir, 0o700); err != nil {
		return fmt.Errorf("folder of damaged shards: %w", err)
	}
	for _, key := range keys {
		if err := d.Note(key); err != nil {
			return err
		}
	}
	aside := files.PathJoin(dir, asideFolder)
	if err := files.RemoveAll(aside); err != nil {
		return fmt.Errorf("make room for the damaged store: %w", err)
	}
	if err := files.Rename(store.Folder(dir), aside); err != nil {
		return fmt.Errorf("set the damaged store aside: %w", err)
	}
	parent, err := files.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("set the damaged store aside: %w", err)
	}
	return errors.Join(parent.Sync(), parent.Close())
}

// DropAside removes the store that SetAside moved away, once there is no damage left
// and replaced returns true: every shard of this node is in sync on another node. dir is
// that of SetAside.
func (f *Faults) DropAside(dir string, replaced func() bool) {
	aside := filepath.Join(dir, asideFolder)
	if _, err := f.fs.Stat(aside); err != nil || f.count.Load() > 0 || !replaced() {
		return
	}
	if err := f.fs.RemoveAll(aside); err != nil {
		f.Log.Warn("shard: the damaged store could not be removed; all its shards were replaced, so delete the folder by hand", slog.String("folder", aside), slog.Any("error", err))
		return
	}
	f.Log.Info("shard: all shards of the damaged store were replaced by copies of other nodes", slog.String("removed", aside))
}
