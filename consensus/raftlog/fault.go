package raftlog

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/hashicorp/raft"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Guard runs f, which reads the memory-mapped file at path. A failing disk is then a memory
// fault that would end the process silently, and the library panics at a page that it did
// not write. Guard turns both into an error that names the file.
func Guard(path string, f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		p := recover()
		var fault interface{ Addr() uintptr }
		switch e, _ := p.(runtime.Error); {
		case p == nil:
		case errors.As(e, &fault):
			err = fmt.Errorf("the disk does not give back a part of %s, or the file was cut off", path)
		default:
			err = fmt.Errorf("%s cannot be read: %v", path, p)
		}
	}()
	return f()
}

// give reports an error of the disk, after which the log is given up.
func (w *diskWatch) give(err error) error {
	if err != nil && !errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		w.failed(err)
	}
	return err
}

// FirstIndex implements raft.LogStore.
func (w *diskWatch) FirstIndex() (index uint64, err error) {
	err = Guard(w.path, func() (err error) { index, err = w.LogStore.FirstIndex(); return err })
	return index, w.give(err)
}

// LastIndex implements raft.LogStore.
func (w *diskWatch) LastIndex() (index uint64, err error) {
	err = Guard(w.path, func() (err error) { index, err = w.LogStore.LastIndex(); return err })
	return index, w.give(err)
}

// ErrTakenBack: raft is about to remove entries from the log that this node has applied.
// They were agreed on, so this happens only if a majority of the voters has forgotten them.
var ErrTakenBack = errors.New("entries that this node has applied are taken back")

// DeleteRange implements raft.LogStore. Entries at the end of the log are removed when the
// leader has others in their place. If this node has applied one of them, nothing is
// removed and the node ends. Entries at the beginning are removed once a snapshot has them;
// raft then keeps the newest ones in the log.
func (w *diskWatch) DeleteRange(first, last uint64) error {
	if w.applied != nil {
		end, err := w.LastIndex()
		if err != nil {
			return err
		}
		if applied := w.applied(); last >= end && first <= applied {
			return w.give(fmt.Errorf("%w: the leader has no entries %d to %d, or others", ErrTakenBack, first, applied))
		}
	}
	err := Guard(w.path, func() error { return w.LogStore.DeleteRange(first, last) })
	if err != nil {
		err = fmt.Errorf("remove entries from the log: %w", err)
	}
	return w.give(err)
}

// stableWatch is diskWatch for raft's term and vote, which are in the same file.
type stableWatch struct {
	raft.StableStore
	disk *diskWatch
}

// Set implements raft.StableStore.
func (s *stableWatch) Set(key, val []byte) error {
	return s.disk.give(Guard(s.disk.path, func() error { return s.StableStore.Set(key, val) }))
}

// Where raft keeps the newest vote of this node: the term first, then for whom.
const (
	keyVoteTerm = "LastVoteTerm"
	keyVoteFor  = "LastVoteCand"
)

// SetUint64 implements raft.StableStore. Before the term of a vote it clears for whom the vote
// before was: a process that ends between the two would find a vote for that one in the new
// term, and repeat it without looking at its log, which may lack what was acknowledged.
func (s *stableWatch) SetUint64(key []byte, val uint64) error {
	if string(key) == keyVoteTerm {
		if err := s.Set([]byte(keyVoteFor), nil); err != nil {
			return err
		}
	}
	return s.disk.give(Guard(s.disk.path, func() error { return s.StableStore.SetUint64(key, val) }))
}

// Get implements raft.StableStore. raft knows the error for a missing value.
func (s *stableWatch) Get(key []byte) (val []byte, err error) {
	err = Guard(s.disk.path, func() (err error) { val, err = s.StableStore.Get(key); return err })
	return val, err
}

// GetUint64 implements raft.StableStore.
func (s *stableWatch) GetUint64(key []byte) (val uint64, err error) {
	err = Guard(s.disk.path, func() (err error) { val, err = s.StableStore.GetUint64(key); return err })
	return val, err
}
