package consensus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.etcd.io/bbolt"

	"shoal/consensus/state"
)

// VerifyLog reads the log and the state of a node that does not run, both in dir, and
// returns what is damaged, a line each. It changes nothing. The error says that it could
// not be done.
func VerifyLog(ctx context.Context, dir string) (damage []string, bytes int64, err error) {
	faults, size, err := verifyPages(ctx, filepath.Join(dir, "raft.db"))
	if err != nil {
		return nil, 0, err
	}
	s := state.Stores{FS: vfs.Default, Dir: filepath.Join(dir, "state"), Log: slog.New(slog.DiscardHandler), Fatal: func(error) {}}
	read, err := s.Verify(ctx)
	if err != nil && ctx.Err() == nil {
		faults, err = append(faults, "the state of the log: "+err.Error()), nil
	}
	return faults, size + read, err
}

// verifyPages reads every page of the log.
func verifyPages(ctx context.Context, path string) (faults []string, size int64, err error) {
	defer func() {
		if p := recover(); p != nil { // bbolt, at a page that it did not write
			faults = append(faults, fmt.Sprintf("the log %s: %v", path, p))
		}
	}()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: 5 * time.Second})
	if errors.Is(err, bbolt.ErrTimeout) {
		return nil, 0, fmt.Errorf("the log %s is in use: stop the node", path)
	}
	if err != nil {
		return []string{fmt.Sprintf("the log %s: %v", path, err)}, 0, nil
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(func(tx *bbolt.Tx) error {
		size = tx.Size()
		for fault := range tx.Check() {
			faults = append(faults, fmt.Sprintf("the log %s: %v", path, fault))
		}
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error { return ctx.Err() })
		})
	})
	return faults, size, err
}
