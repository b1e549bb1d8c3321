package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
)

// Verify reads everything in the store in force, which nobody may have open, and returns
// how many bytes that were. The error says what cannot be read.
func (s *Stores) Verify(ctx context.Context) (read int64, err error) {
	number, err := s.current()
	if err != nil {
		return 0, err
	}
	if number == 0 {
		return 0, fmt.Errorf("%s in %s: %w", currentFile, s.Dir, fs.ErrNotExist)
	}
	var found error
	db, err := pebble.Open(s.Path(number), &pebble.Options{
		FS: s.FS, ReadOnly: true, ErrorIfNotExists: true, FormatMajorVersion: pebble.FormatTableFormatV6, Logger: pebbleLog{log: s.Log, fatal: s.Fatal},
		EventListener: &pebble.EventListener{DataCorruption: func(i pebble.DataCorruptionInfo) { found = fmt.Errorf("file %s: %w", i.Path, i.Details) }},
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	it, err := db.NewIter(nil)
	if err != nil {
		return 0, err
	}
	for more := it.First(); more && ctx.Err() == nil; more = it.Next() {
		value, e := it.ValueAndErr()
		if e != nil {
			err = errors.Join(err, e)
			break
		}
		read += int64(len(it.Key()) + len(value))
	}
	if err = errors.Join(err, it.Error(), it.Close()); err != nil && found != nil {
		err = found // names the file
	}
	return read, errors.Join(err, ctx.Err())
}
