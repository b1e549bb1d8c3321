package raftlog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

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
	Bolt       *raftboltdb.BoltStore // nil in tests
	Path       string
}

// Options say where the log of the group is kept.
type Options struct {
	// Dir is made if it is missing; the log is the file raft.db in it.
	Dir string
	// Instead, if not nil, replaces the file.
	Instead interface {
		raft.LogStore
		raft.StableStore
	}
	// OnFatal is called once, when the disk has failed.
	OnFatal func(error)
}

// Open opens the log of the group. Every append is synced; the options
// follow what large users of bbolt found out about free lists.
func Open(o Options) (*Store, error) {
	s := &Store{Path: filepath.Join(o.Dir, "raft.db")}
	var disk raft.LogStore
	if o.Instead != nil {
		disk, s.Stable = o.Instead, o.Instead
	} else {
		if err := os.MkdirAll(o.Dir, 0o755); err != nil {
			return nil, err
		}
		bolt, err := raftboltdb.New(raftboltdb.Options{
			Path: s.Path,
			BoltOptions: &bbolt.Options{
				Timeout:         5 * time.Second,
				NoFreelistSync:  true,
				FreelistType:    bbolt.FreelistMapType,
				InitialMmapSize: 64 << 20,
			},
		})
		if err != nil {
			return nil, fmt.Errorf("open the log in %s: %w", o.Dir, err)
		}
		s.Bolt, disk, s.Stable = bolt, bolt, bolt
	}
	s.diskWatch = &diskWatch{LogStore: disk, failed: o.OnFatal}
	return s, nil
}

// Close closes the file of the log.
func (s *Store) Close() error {
	if s.Bolt == nil {
		return nil
	}
	return s.Bolt.Close()
}

// diskWatch measures how long appends take, and gives up at the first that fails:
// raft would go on as a member that can never take anything again.
type diskWatch struct {
	raft.LogStore
	failed func(error)
	since  atomic.Int64 // when the running append began, UnixNano; 0 = none
	Worst  atomic.Int64 // longest append so far, nanoseconds
}

func (w *diskWatch) StoreLog(l *raft.Log) error { return w.StoreLogs([]*raft.Log{l}) }

func (w *diskWatch) StoreLogs(logs []*raft.Log) error {
	begun := time.Now()
	w.since.Store(begun.UnixNano())
	err := w.LogStore.StoreLogs(logs)
	w.since.Store(0)
	if took := int64(time.Since(begun)); took > w.Worst.Load() {
		w.Worst.Store(took)
	}
	if err != nil && !errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		w.failed(fmt.Errorf("append to the log: %w", err))
	}
	return err
}

// Stalled is how long the running append has been going on.
func (w *diskWatch) Stalled() time.Duration {
	since := w.since.Load()
	if since == 0 {
		return 0
	}
	return time.Since(time.Unix(0, since))
}

// LastCommand is the newest entry at or below an index that the state machine
// gets to see; raft's own entries (new terms, barriers, memberships) are not. It
// looks no further back than floor.
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
