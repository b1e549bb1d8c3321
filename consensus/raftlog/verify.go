package raftlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Verify reads the file of an unused log: its bytes, its pages and, if those are intact,
// its entries, whose commands check examines. It returns one line for each damage. The
// error says that verification was impossible.
func Verify(ctx context.Context, path string, check func(command []byte) error) (faults []string, size int64, err error) {
	damaged := func(err error) []string { return []string{fmt.Sprintf("the log %s: %v", path, err)} }
	length, err := readable(path)
	if err != nil {
		return damaged(err), 0, nil
	}
	faults, size, err = verifyPages(ctx, path, length)
	if err != nil || len(faults) > 0 {
		return faults, size, err
	}
	log, err := OpenToRead(path)
	if err != nil {
		return damaged(err), size, nil
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	faults, _, err = log.Verify(ctx, check)
	if err != nil && ctx.Err() == nil {
		return damaged(err), size, nil
	}
	return faults, size, err
}

// readable reads the file as a stream. A failing disk then gives an error, not a fault of
// the memory-mapped file.
func readable(path string) (length int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.Copy(io.Discard, f)
}

// verifyPages reads every page of a file of that length.
func verifyPages(ctx context.Context, path string, length int64) (faults []string, size int64, err error) {
	note := func(err error) { faults = append(faults, fmt.Sprintf("the log %s: %v", path, err)) }
	var db *bbolt.DB
	err = Guard(path, func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: 5 * time.Second})
		return err
	})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, 0, fmt.Errorf("the log %s is in use: stop the node", path)
	}
	if err != nil {
		note(err)
		return faults, 0, nil
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	fault := Guard(path, func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if size = tx.Size(); size > length {
				return fmt.Errorf("it was cut off: it has %d bytes instead of %d", length, size)
			}
			for fault := range tx.Check() {
				note(fault)
			}
			return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
				return b.ForEach(func(k, v []byte) error { return ctx.Err() })
			})
		})
	})
	if fault != nil && ctx.Err() == nil {
		note(fault)
	}
	return faults, size, ctx.Err()
}

// Verify reads every entry from the disk and compares it with its checksum. check examines
// its command. It returns one line for each damage, and the number of entries read.
func (s *Store) Verify(ctx context.Context, check func(command []byte) error) (damage []string, read uint64, err error) {
	first, err := s.FirstIndex()
	if err != nil {
		return nil, 0, fmt.Errorf("the log: %w", err)
	}
	last, err := s.LastIndex()
	if err != nil {
		return nil, 0, fmt.Errorf("the log: %w", err)
	}
	for index := max(first, 1); index <= last; index++ {
		if err := ctx.Err(); err != nil {
			return damage, read, err
		}
		var entry raft.Log
		err := s.ReadLog(index, &entry)
		if errors.Is(err, raft.ErrLogNotFound) {
			// The beginning of the log may be removed during the reading.
			if first, e := s.FirstIndex(); e == nil && index < first {
				continue
			}
		}
		if err == nil && entry.Index != index {
			err = fmt.Errorf("it says that it is entry %d", entry.Index)
		}
		if err == nil && entry.Type == raft.LogCommand {
			err = check(entry.Data)
		}
		if err != nil {
			damage = append(damage, fmt.Sprintf("entry %d of the log: %v", index, err))
			if len(damage) >= maxLogDamage {
				return append(damage, "and maybe more: the reading ended here"), read, nil
			}
		}
		read++
	}
	return damage, read, nil
}

// maxLogDamage bounds the damaged entries that are listed.
const maxLogDamage = 20
