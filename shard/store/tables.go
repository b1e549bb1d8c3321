package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
)

// TableFile is one table file of the store.
type TableFile struct {
	Path string
	// Size is in bytes.
	Size int64
	// Spans are the keys that the store reads from the file, from Lo up to and
	// including Hi. There are several if a part in the middle was cut out.
	Spans []KeyRange
}

// Overlaps reports whether keys of [r.Lo, r.Hi) may be read from the file.
func (f *TableFile) Overlaps(r KeyRange) bool {
	for _, s := range f.Spans {
		if string(r.Lo) <= string(s.Hi) && string(s.Lo) < string(r.Hi) {
			return true
		}
	}
	return false
}

// TableFiles lists the table files in use at the moment. Compactions change the list.
func (s *Store) TableFiles() ([]TableFile, error) {
	levels, err := s.DB.SSTables()
	if err != nil {
		return nil, fmt.Errorf("shard: listing the table files: %w", err)
	}
	var out []TableFile
	at := map[string]int{}
	for _, level := range levels {
		for i := range level {
			t := &level[i]
			path := filepath.Join(s.folder, t.BackingSSTNum.String()+".sst")
			n, known := at[path]
			if !known {
				n = len(out)
				at[path] = n
				out = append(out, TableFile{Path: path})
			}
			out[n].Size += int64(t.Size)
			out[n].Spans = append(out[n].Spans, KeyRange{Lo: t.Smallest.UserKey, Hi: t.Largest.UserKey})
		}
	}
	return out, nil
}

// Pace is called before n bytes are read from a disk, and waits to limit the rate. Its
// error ends the reading.
type Pace func(n int) error

// CheckTable reads a table file from the disk, past all caches, and verifies the
// checksum of every block. It returns nil for a missing file, which a compaction has
// replaced.
func (s *Store) CheckTable(path string, pace Pace) error {
	return s.readTable(path, pace, func(t *openTable) error { return t.check(t.handles()) })
}

// CheckDelta verifies the checksum of the i-th file of a large delta.
func (s *Store) CheckDelta(head *Head, i int) error {
	f, err := s.FS.Open(s.DeltaPath(head, i))
	if err != nil {
		return err
	}
	sum := xxhash.New()
	n, err := io.Copy(sum, f)
	if err == nil && (n != head.Files[i].Size || sum.Sum64() != head.Files[i].Sum) {
		err = fmt.Errorf("file %s: %w", s.DeltaPath(head, i), ErrCorruptValue)
	}
	return errors.Join(err, f.Close())
}

// CheckFrame is CheckTable for the frame of the file, which every reader needs: all
// blocks except those of keys and values.
func (s *Store) CheckFrame(path string, pace Pace) error {
	return s.readTable(path, pace, func(t *openTable) error { return t.check(t.surroundings()) })
}

// CheckKeys is CheckTable for the keys of [k.Lo, k.Hi) and their values.
func (s *Store) CheckKeys(path string, k KeyRange, pace Pace) error {
	return s.readTable(path, pace, func(t *openTable) error {
		it, err := t.NewIter(sstable.NoTransforms, k.Lo, k.Hi, sstable.AssertNoBlobHandles)
		if err != nil {
			return err
		}
		for kv := it.SeekGE(k.Lo, 0); kv != nil && err == nil; kv = it.Next() {
			_, _, err = kv.Value(nil)
		}
		return errors.Join(err, it.Error(), it.Close())
	})
}

// openTable is a table file that is being checked.
type openTable struct {
	*sstable.Reader
	layout *sstable.Layout
	in     objstorage.Readable
	buf    []byte
}

// block reads one block. pacedFile verifies its checksum.
func (t *openTable) block(h block.Handle) error {
	t.buf = slices.Grow(t.buf[:0], int(h.Length)+block.TrailerLen)[:int(h.Length)+block.TrailerLen]
	return t.in.ReadAt(context.Background(), t.buf, int64(h.Offset))
}

// handles lists all blocks of the table.
func (t *openTable) handles() []block.Handle {
	out := t.surroundings()
	for i := range t.layout.Data {
		out = append(out, t.layout.Data[i].Handle)
	}
	return append(out, t.layout.ValueBlock...)
}

// surroundings lists the blocks of the frame.
func (t *openTable) surroundings() []block.Handle {
	l := t.layout
	out := append([]block.Handle{l.TopIndex, l.RangeDel, l.RangeKey, l.ValueIndex, l.Properties, l.MetaIndex}, l.Index...)
	for i := range l.Filter {
		out = append(out, l.Filter[i].Handle)
	}
	return slices.DeleteFunc(out, func(h block.Handle) bool { return h.Length == 0 }) // the table has none
}

// check reads blocks until one is damaged.
func (t *openTable) check(blocks []block.Handle) error {
	for _, h := range blocks {
		if err := t.block(h); err != nil {
			return err
		}
	}
	return nil
}

// readTable opens a table file for check.
func (s *Store) readTable(path string, pace Pace, check func(*openTable) error) error {
	f, err := s.FS.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	paced := &pacedFile{File: f, pace: pace}
	in, err := sstable.NewSimpleReadable(paced)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(context.Background(), in, s.options.MakeReaderOptions())
	if err != nil {
		return fmt.Errorf("file %s: %w", path, errors.Join(err, in.Close()))
	}
	t := &openTable{Reader: r, in: in}
	if t.layout, err = r.Layout(); err == nil {
		paced.knows(t.handles())
		err = check(t)
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("file %s: %w", path, err)
	}
	return nil
}

// Damaged reports whether an error means that the disk lost data: a checksum mismatch,
// a truncated file, or a read error of the disk.
func Damaged(err error) bool {
	return pebble.IsCorruptionError(err) || errors.Is(err, syscall.EIO) || errors.Is(err, errCut)
}

// Reason returns the first line of an error. Errors of the store have more lines, which
// do not help an operator.
func Reason(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// errCut: a table file is truncated.
var errCut = errors.New("the file is cut short")
