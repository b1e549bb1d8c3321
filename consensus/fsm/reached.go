package fsm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire/await"
)

const (
	// FileReached, in the group's folder, stores Reached.
	FileReached = "reached"
	// reachedEvery is the least time between two writes of it.
	reachedEvery = 100 * time.Millisecond
	reachedSize  = 12 // index and its CRC-32
)

// Reached is the newest entry that this node has applied, in this process or an earlier
// one. The state cannot tell: it reaches the disk every 30 seconds, so after a kill it may
// be older than what clients were told, although the log has everything. A leader that
// lacks those entries would have them removed from this log, unnoticed.
//
// It is not synced. It survives the kill of a process. After a power failure it may be
// lower than before, but never higher than the log.
type Reached struct {
	file  vfs.File
	index atomic.Uint64
}

// OpenReached opens the file at path and creates it if missing. An empty or damaged file
// counts as 0.
func OpenReached(files vfs.FS, path string) (_ *Reached, err error) {
	r := new(Reached)
	if r.file, err = files.OpenReadWrite(path, vfs.WriteCategoryUnspecified); errors.Is(err, fs.ErrNotExist) {
		r.file, err = files.Create(path, vfs.WriteCategoryUnspecified)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	b := make([]byte, reachedSize)
	n, err := r.file.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), r.file.Close())
	}
	if n == reachedSize && binary.LittleEndian.Uint32(b[8:]) == crc32.ChecksumIEEE(b[:8]) {
		r.index.Store(binary.LittleEndian.Uint64(b))
	}
	return r, nil
}

// Index is the newest entry that any process of this node has applied, as far as it was
// recorded.
func (r *Reached) Index() uint64 { return r.index.Load() }

// Close closes the file. Keep must have ended.
func (r *Reached) Close() error { return r.file.Close() }

// write raises the value. Only one goroutine may write at a time.
func (r *Reached) write(index uint64) error {
	if index <= r.index.Load() {
		return nil
	}
	b := binary.LittleEndian.AppendUint64(nil, index)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	if _, err := r.file.WriteAt(b, 0); err != nil {
		return err
	}
	r.index.Store(index)
	return nil
}

// Keep records the newest applied entry until ctx ends.
func (r *Reached) Keep(ctx context.Context, f *FSM) {
	told := false
	for {
		next := f.Applied.Next()
		if err := r.write(f.Catalog.Load().Applied()); err != nil && !told {
			told = true
			f.log.Warn("the newest applied entry was not recorded: this node may not notice that its history differs", "error", err)
		}
		select {
		case <-next:
		case <-ctx.Done():
			return
		}
		if await.Sleep(ctx, reachedEvery) != nil {
			return
		}
	}
}
