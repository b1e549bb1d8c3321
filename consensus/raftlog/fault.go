package raftlog

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/hashicorp/raft"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Guard runs f, which reads the file at path through a map of it in memory. There a disk
// that does not give back what it holds is no error but a fault of the memory, which ends
// the process without a word; and the library panics at a page that it did not write. Both
// become an error that names the file.
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

// give gives the log up for an error, if it is one of the disk.
func (w *diskWatch) give(err error) error {
	if err != nil && !errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		w.failed(err)
	}
	return err
}

// FirstIndex see raft.LogStore.
func (w *diskWatch) FirstIndex() (index uint64, err error) {
	err = Guard(w.path, func() (err error) { index, err = w.LogStore.FirstIndex(); return err })
	return index, w.give(err)
}

// LastIndex see raft.LogStore.
func (w *diskWatch) LastIndex() (index uint64, err error) {
	err = Guard(w.path, func() (err error) { index, err = w.LogStore.LastIndex(); return err })
	return index, w.give(err)
}

// DeleteRange see raft.LogStore.
func (w *diskWatch) DeleteRange(first, last uint64) error {
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

// Set see raft.StableStore.
func (s *stableWatch) Set(key, val []byte) error {
	return s.disk.give(Guard(s.disk.path, func() error { return s.StableStore.Set(key, val) }))
}

// SetUint64 see raft.StableStore.
func (s *stableWatch) SetUint64(key []byte, val uint64) error {
	return s.disk.give(Guard(s.disk.path, func() error { return s.StableStore.SetUint64(key, val) }))
}

// Get see raft.StableStore. That there is none is an error that raft knows.
func (s *stableWatch) Get(key []byte) (val []byte, err error) {
	err = Guard(s.disk.path, func() (err error) { val, err = s.StableStore.Get(key); return err })
	return val, err
}

// GetUint64 see raft.StableStore.
func (s *stableWatch) GetUint64(key []byte) (val uint64, err error) {
	err = Guard(s.disk.path, func() (err error) { val, err = s.StableStore.GetUint64(key); return err })
	return val, err
}
