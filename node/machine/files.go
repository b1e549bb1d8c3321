package machine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/consensus"
)

// Files is the disk of a node. Safe for concurrent use.
type Files struct {
	vfs.FS
	// Own locks a data folder by a file in it, until the lock is closed. It returns
	// ErrOwned if another process has the lock.
	Own func(file string) (io.Closer, error)
	// Private removes other users' access to a file or folder.
	Private func(path string, folder bool) error
	// Space returns how many bytes can still be written to the disk of a folder, and how many
	// bytes files can take there in all. Space that is reserved for the system counts as
	// neither.
	Space func(path string) (free, size uint64, err error)
	// Mended, if set, is called for small files in which a flipped bit was corrected.
	Mended func(path string)
	// RaftLog opens the log of the Raft group in a folder; nil means a bbolt file.
	RaftLog func(dir string) (consensus.Log, error)
	// Scratch is the folder for files that only this process reads; "" means a folder in
	// the data folder.
	Scratch string
}

// ErrOwned: another process has locked the folder.
var ErrOwned = errors.New("another process has locked it")

// Disk is the file system of the operating system.
func Disk() *Files {
	return &Files{FS: vfs.Default, Own: flock, Private: private, Space: space}
}

func private(path string, folder bool) error {
	if folder {
		return os.Chmod(path, 0o700) //nolint:gosec // a folder needs the bit
	}
	return os.Chmod(path, 0o600)
}

// ReadFile reads a small file.
func (f *Files) ReadFile(path string) ([]byte, error) {
	in, err := f.Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(in)
	return b, errors.Join(err, in.Close())
}

// WriteFile creates or replaces a small file that only this user can read. After a crash
// the file has its old or its new content; after a return without an error, the new one.
func (f *Files) WriteFile(path string, content []byte) error {
	dir := f.PathDir(path)
	// An interrupted start leaves its unfinished file; the next one overwrites it.
	tmp := f.PathJoin(dir, "."+f.PathBase(path)+".new")
	if err := f.fill(tmp, content); err != nil {
		return errors.Join(err, f.drop(tmp))
	}
	if err := f.Rename(tmp, path); err != nil {
		return errors.Join(err, f.drop(tmp))
	}
	return f.SyncDir(dir)
}

func (f *Files) fill(path string, content []byte) error {
	out, err := f.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	err = f.Private(path, false)
	if err == nil {
		_, err = out.Write(content)
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

func (f *Files) drop(path string) error {
	if err := f.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SyncDir makes the names in a folder durable.
func (f *Files) SyncDir(dir string) error {
	d, err := f.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MakeDir durably makes a folder that only this user can read. It cannot sync a parent that
// this user may not read; the parent's owner is responsible for that. Nor can it sync a
// read-only root into which the folder is mounted, whose names do not change.
func (f *Files) MakeDir(dir string) error {
	if err := f.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	err := f.SyncDir(f.PathDir(dir))
	if slices.ContainsFunc([]error{fs.ErrPermission, errors.ErrUnsupported, syscall.EINVAL, syscall.EROFS}, func(e error) bool { return errors.Is(err, e) }) {
		return nil
	}
	return err
}
