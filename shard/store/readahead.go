package store

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// readAheadBytes is the size of one read.
const readAheadBytes = 512 << 10

// ReadAhead reads the table files with keys of a range into the page cache, up to most
// bytes, and returns the bytes it read. It calls pace before each half mebibyte and
// ends with its error. It verifies nothing.
func (s *Store) ReadAhead(ctx context.Context, r KeyRange, most int64, pace func(context.Context) error) (n int64, err error) {
	files, err := s.TableFiles()
	if err != nil {
		return 0, err
	}
	buf := make([]byte, readAheadBytes)
	for i := range files {
		if n >= most {
			break
		}
		if files[i].Overlaps(r) {
			read, err := s.readAhead(ctx, files[i].Path, buf, most-n, pace)
			if n += read; err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// readAhead is ReadAhead for one file. A missing file was replaced by a compaction.
func (s *Store) readAhead(ctx context.Context, path string, buf []byte, most int64, pace func(context.Context) error) (n int64, err error) {
	f, err := s.FS.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		return 0, err
	}
	for n < most {
		if err = pace(ctx); err != nil {
			break
		}
		read, readErr := f.ReadAt(buf, n)
		if n += int64(read); readErr != nil {
			if !errors.Is(readErr, io.EOF) {
				err = readErr
			}
			break
		}
	}
	return n, errors.Join(err, f.Close())
}
