package consensus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
	raftboltdb "github.com/hashicorp/raft-boltdb/v2"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// cachedEntries is how many recent entries are kept in memory for followers.
const cachedEntries = 512

// logStore is where raft keeps its log, term and vote.
type logStore struct {
	*diskWatch // raft's LogStore, with a cache in front
	stable     raft.StableStore
	bolt       *raftboltdb.BoltStore // nil in tests
	path       string
}

// openLogStore opens the log of the group. Every append is synced; the options
// follow what large users of bbolt found out about free lists.
func openLogStore(cfg *Config) (*logStore, error) {
	s := &logStore{path: cfg.path("raft.db")}
	var disk raft.LogStore
	if cfg.logs != nil {
		disk, s.stable = cfg.logs, cfg.logs
	} else {
		if err := os.MkdirAll(cfg.Dir, 0o755); err != nil {
			return nil, err
		}
		bolt, err := raftboltdb.New(raftboltdb.Options{
			Path: s.path,
			BoltOptions: &bbolt.Options{
				Timeout:         5 * time.Second,
				NoFreelistSync:  true,
				FreelistType:    bbolt.FreelistMapType,
				InitialMmapSize: 64 << 20,
			},
		})
		if err != nil {
			return nil, fmt.Errorf("open the log in %s: %w", cfg.Dir, err)
		}
		s.bolt, disk, s.stable = bolt, bolt, bolt
	}
	s.diskWatch = &diskWatch{LogStore: disk, failed: cfg.OnFatal}
	return s, nil
}

func (s *logStore) close() error {
	if s.bolt == nil {
		return nil
	}
	return s.bolt.Close()
}

// diskWatch measures how long appends take, and gives up at the first that fails:
// raft would go on as a member that can never take anything again.
type diskWatch struct {
	raft.LogStore
	failed func(error)
	since  atomic.Int64 // when the running append began, UnixNano; 0 = none
	worst  atomic.Int64 // longest append so far, nanoseconds
}

func (w *diskWatch) StoreLog(l *raft.Log) error { return w.StoreLogs([]*raft.Log{l}) }

func (w *diskWatch) StoreLogs(logs []*raft.Log) error {
	begun := time.Now()
	w.since.Store(begun.UnixNano())
	err := w.LogStore.StoreLogs(logs)
	w.since.Store(0)
	if took := int64(time.Since(begun)); took > w.worst.Load() {
		w.worst.Store(took)
	}
	if err != nil && !errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		w.failed(fmt.Errorf("append to the log: %w", err))
	}
	return err
}

// stalled is how long the running append has been going on.
func (w *diskWatch) stalled() time.Duration {
	since := w.since.Load()
	if since == 0 {
		return 0
	}
	return time.Since(time.Unix(0, since))
}

// lastCommand is the newest entry at or below an index that the state machine
// gets to see; raft's own entries (new terms, barriers, memberships) are not. It
// looks no further back than floor.
func lastCommand(logs raft.LogStore, index, floor uint64) (uint64, error) {
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

// closeTransport closes a transport that can be closed.
func closeTransport(t raft.Transport) error {
	if c, ok := t.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
