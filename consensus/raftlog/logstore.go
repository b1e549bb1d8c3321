package raftlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"
	raftboltdb "github.com/hashicorp/raft-boltdb/v2"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// CachedEntries is how many recent entries are kept in memory for followers.
const CachedEntries = 512

// Store is where raft keeps its log, term and vote.
type Store struct {
	*diskWatch // raft's LogStore, with a cache in front
	Stable     raft.StableStore
	Bolt       *raftboltdb.BoltStore // nil if another log is in its place
	Path       string
	instead    Log
}

// Log is where raft keeps its log, term and vote. A call that returns without an error has
// made its data durable.
type Log interface {
	raft.LogStore
	raft.StableStore
	io.Closer
}

// Options configure the log of the group.
type Options struct {
	// Dir is made if it is missing; the log is the file raft.db in it.
	Dir string
	// Instead, if not nil, opens a log that replaces the file.
	Instead func(dir string) (Log, error)
	// Check checks the content of a command that was read from the disk.
	Check func(data []byte) error
	// Applied, if not nil, is the newest entry that this node has applied: see ErrTakenBack.
	Applied func() uint64
	// Appends, if not nil, is called when an append begins.
	Appends func()
	// OnFatal is called when the disk has failed or returned damaged data.
	OnFatal func(error)
}

// Open opens the log of the group. Every append is synced.
func Open(o Options) (*Store, error) {
	s := &Store{Path: filepath.Join(o.Dir, "raft.db")}
	var disk raft.LogStore
	if o.Instead != nil {
		log, err := o.Instead(o.Dir)
		if err != nil {
			return nil, fmt.Errorf("open the log in %s: %w", o.Dir, err)
		}
		s.instead, disk, s.Stable = log, log, log
	} else {
		bolt, err := openFile(s.Path)
		if err != nil {
			return nil, fmt.Errorf("open the log in %s: %w", o.Dir, err)
		}
		s.Bolt, disk, s.Stable = bolt, bolt, bolt
	}
	s.diskWatch = &diskWatch{LogStore: disk, path: s.Path, check: o.Check, appends: o.Appends, applied: o.Applied, failed: o.OnFatal}
	s.Stable = &stableWatch{StableStore: s.Stable, disk: s.diskWatch}
	return s, nil
}

// OpenToRead opens, without changing it, the log at path of a node that does not run.
func OpenToRead(path string) (*Store, error) {
	bolt, err := openBolt(path, &bbolt.Options{ReadOnly: true, Timeout: 5 * time.Second})
	if err != nil {
		return nil, err
	}
	s := &Store{Path: path, Bolt: bolt, diskWatch: &diskWatch{LogStore: bolt, path: path, failed: func(error) {}}}
	s.Stable = &stableWatch{StableStore: bolt, disk: s.diskWatch}
	return s, nil
}

// openFile opens the file of a log and creates it if missing. The library syncs the content
// of the file but not its name, so without the syncs of folders here a power failure could
// lose the whole log. A new file is created under another name, so that an interrupted
// first start leaves no half-made log.
func openFile(path string) (*raftboltdb.BoltStore, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("make it: %w", err)
		}
	}
	if err := errors.Join(syncDir(dir), syncDir(filepath.Dir(dir))); err != nil {
		return nil, err
	}
	return openBolt(path, writable())
}

// create makes an empty log under another name and then renames it.
func create(path string) error {
	unfinished := path + ".new"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	bolt, err := openBolt(unfinished, writable())
	if err != nil {
		return err
	}
	if err := bolt.Close(); err != nil {
		return err
	}
	return os.Rename(unfinished, path)
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := vfs.Default.OpenDir(dir) // vfs knows which systems cannot sync a folder
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync the names in %s: %w", dir, err)
	}
	return nil
}

// writable are the options of a writable log. They follow the experience of large users of
// the library with free lists.
func writable() *bbolt.Options {
	return &bbolt.Options{
		Timeout:         5 * time.Second,
		NoFreelistSync:  true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: 64 << 20,
	}
}

func openBolt(path string, o *bbolt.Options) (bolt *raftboltdb.BoltStore, err error) {
	err = Guard(path, func() (err error) {
		bolt, err = raftboltdb.New(raftboltdb.Options{Path: path, BoltOptions: o})
		return err
	})
	return bolt, err
}

// Close closes the file of the log.
func (s *Store) Close() error {
	switch {
	case s.instead != nil:
		return s.instead.Close()
	case s.Bolt == nil:
		return nil
	}
	return s.Bolt.Close()
}

// diskWatch measures how long appends take, and gives up after the first failure, because
// raft would continue as a member that can never append again. It also gives up at an entry
// that cannot be read or is not what was written: such an entry must not be applied or sent
// to other nodes.
type diskWatch struct {
	raft.LogStore
	path    string
	check   func(data []byte) error
	appends func()
	applied func() uint64
	failed  func(error)
	since   atomic.Int64  // when the running append began, UnixNano; 0 = none
	last    atomic.Uint64 // the newest entry that this process has appended
	Worst   atomic.Int64  // longest append so far, nanoseconds
}

func (w *diskWatch) StoreLog(l *raft.Log) error { return w.StoreLogs([]*raft.Log{l}) }

func (w *diskWatch) StoreLogs(logs []*raft.Log) error {
	begun := time.Now()
	w.since.Store(begun.UnixNano())
	if w.appends != nil {
		w.appends()
	}
	err := Guard(w.path, func() error { return w.LogStore.StoreLogs(logs) })
	if len(logs) > 0 {
		w.last.Store(logs[len(logs)-1].Index)
	}
	w.since.Store(0)
	if took := int64(time.Since(begun)); took > w.Worst.Load() {
		w.Worst.Store(took)
	}
	if err != nil && !errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		w.failed(fmt.Errorf("append to the log: %w", err))
	}
	return err
}

// GetLog implements raft.LogStore.
func (w *diskWatch) GetLog(index uint64, l *raft.Log) error {
	err := w.ReadLog(index, l)
	switch {
	case errors.Is(err, raft.ErrLogNotFound) || errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return err
	case err != nil:
		err = fmt.Errorf("entry %d of the log: %w", index, err)
	case l.Index != index:
		err = fmt.Errorf("entry %d of the log says that it is entry %d", index, l.Index)
	case l.Type == raft.LogCommand && w.check != nil:
		if err = w.check(l.Data); err != nil {
			err = fmt.Errorf("entry %d of the log: %w", index, err)
		}
	}
	if err != nil {
		w.failed(err)
	}
	return err
}

// ReadLog is GetLog for diagnosis: a fault does not make the node give up.
func (w *diskWatch) ReadLog(index uint64, l *raft.Log) error {
	return Guard(w.path, func() error { return w.LogStore.GetLog(index, l) })
}

// Rests tells whether an entry is the last one that this process has appended, and none is
// being appended. Once Appends has been called it is false for all existing entries.
func (w *diskWatch) Rests(index uint64) bool {
	return w.since.Load() == 0 && w.last.Load() == index
}

// Appending identifies the running append; 0 means none.
func (w *diskWatch) Appending() int64 { return w.since.Load() }

// LastCommand is the newest entry at or below an index that the state machine gets. raft's
// own entries (new terms, barriers, memberships) do not count. It looks no further back
// than floor.
func LastCommand(logs raft.LogStore, index, floor uint64) (uint64, error) {
	for ; index > floor; index-- {
		var l raft.Log
		err := logs.GetLog(index, &l)
		if errors.Is(err, raft.ErrLogNotFound) {
			return floor, nil // compacted, hence applied
		}
		if err != nil {
			return 0, err
		}
		if l.Type == raft.LogCommand {
			return index, nil
		}
	}
	return floor, nil
}

// CloseTransport closes a transport that can be closed.
func CloseTransport(t raft.Transport) error {
	if c, ok := t.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
