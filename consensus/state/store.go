package state

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire/ordered"
	"shoal/wire/turns"
)

// The state machine's store lives in one of the folders state-000001,
// state-000002 ... of its directory; the file CURRENT names the one in force.
// Restoring a snapshot builds the next folder and then switches CURRENT, so a
// crash leaves either the old state or the new one.
const (
	currentFile = "CURRENT"
	statePrefix = "state-"
)

// Stores opens the machine's pebble stores in one directory.
type Stores struct {
	FS    vfs.FS
	Dir   string
	Cache int64 // bytes of block cache
	Log   *slog.Logger
	Fatal func(error)
}

// Open opens the store in force, or makes the first one, and removes what an
// interrupted restore left behind.
func (s *Stores) Open() (db *pebble.DB, number int, err error) {
	if err := makeDir(s.FS, s.Dir); err != nil {
		return nil, 0, err
	}
	number, err = s.inForce()
	if err != nil {
		return nil, 0, err
	}
	if err := s.sweep(number); err != nil {
		return nil, 0, err
	}
	db, err = s.OpenNumber(number)
	return db, number, err
}

// inForce is the number of the store to open. A first start takes 1 and writes it down.
// CURRENT has no checksum: if it names no store that is there, it is damaged, and the only
// store there is in force.
func (s *Stores) inForce() (int, error) {
	number, err := s.current()
	if err != nil {
		return 0, err
	}
	names, err := s.FS.List(s.Dir)
	if err != nil {
		return 0, err
	}
	stores := slices.DeleteFunc(names, func(n string) bool { return storeNumber(n) == 0 })
	slices.Sort(stores) // a file system lists names in any order
	here := func(n int) bool {
		return slices.ContainsFunc(stores, func(name string) bool { return storeNumber(name) == n })
	}
	switch {
	case here(number):
		return number, nil
	case len(stores) == 0:
		number = 1 // CURRENT is written before the first store
	case len(stores) == 1:
		number = storeNumber(stores[0])
		s.Log.Warn("a damaged file was put right: look at the disk and the memory of this machine", "file", s.FS.PathJoin(s.Dir, currentFile))
	default:
		return 0, fmt.Errorf("%s in %s does not name one of the stores there: %s", currentFile, s.Dir, strings.Join(stores, ", "))
	}
	return number, s.SetCurrent(number)
}

// storeNumber is the number in the name of a store's folder, 0 for another name.
func storeNumber(name string) int {
	digits, ok := strings.CutPrefix(name, statePrefix)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 {
		return 0
	}
	return n
}

// Path is the folder of the store with a number.
func (s *Stores) Path(number int) string {
	return s.FS.PathJoin(s.Dir, fmt.Sprintf("%s%06d", statePrefix, number))
}

// current reads CURRENT; 0 when there is none, or it names no store.
func (s *Stores) current() (int, error) {
	f, err := s.FS.Open(s.FS.PathJoin(s.Dir, currentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return storeNumber(strings.TrimSpace(string(text))), nil
}

// SetCurrent makes a store the one that is opened from now on, durably.
func (s *Stores) SetCurrent(number int) error {
	tmp := s.FS.PathJoin(s.Dir, currentFile+".tmp")
	if err := WriteFile(s.FS, tmp, fmt.Appendf(nil, "%s%06d\n", statePrefix, number)); err != nil {
		return err
	}
	if err := s.FS.Rename(tmp, s.FS.PathJoin(s.Dir, currentFile)); err != nil {
		return err
	}
	return syncDir(s.FS, s.Dir)
}

// sweep removes state folders other than the one in force.
func (s *Stores) sweep(number int) error {
	names, err := s.FS.List(s.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if path := s.FS.PathJoin(s.Dir, name); strings.HasPrefix(name, statePrefix) && path != s.Path(number) {
			if err := s.FS.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// OpenNumber opens the store with a number, and makes it if it is missing.
func (s *Stores) OpenNumber(number int) (*pebble.DB, error) {
	cache := pebble.NewCache(s.Cache)
	defer cache.Unref() // the store holds its own reference
	log := pebbleLog{log: s.Log, fatal: s.Fatal}
	opts := &pebble.Options{
		FS:                          ordered.FS(s.FS),
		Cache:                       cache,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		MemTableSize:                8 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		WALBytesPerSync:             512 << 10,
		Logger:                      log,
		EventListener: &pebble.EventListener{
			DataCorruption: func(i pebble.DataCorruptionInfo) { log.die(fmt.Errorf("file %s: %w", i.Path, i.Details)) },
		},
	}
	opts.Experimental.CompactionScheduler = new(turns.Compactions)
	opts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionBalanced })
	// Without the file that names the manifest in force pebble would begin a new
	// state beside the old one.
	names, err := s.FS.List(s.Path(number))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open state of the log: %w", err)
	}
	opts.ErrorIfNotExists = slices.ContainsFunc(names, func(n string) bool {
		return strings.HasSuffix(n, ".sst") || strings.HasSuffix(n, ".log")
	})
	db, err := pebble.Open(s.Path(number), opts)
	if err != nil {
		return nil, fmt.Errorf("open state of the log: %w", err)
	}
	return db, nil
}

// pebbleLog passes pebble's messages on. A fatal message means that the store
// cannot go on; pebble expects that the call does not return.
type pebbleLog struct {
	log   *slog.Logger
	fatal func(error)
}

func (l pebbleLog) Infof(format string, args ...any) {
	l.log.Debug("state store", "message", fmt.Sprintf(format, args...))
}

func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Error("state store", "message", fmt.Sprintf(format, args...))
}

func (l pebbleLog) Fatalf(format string, args ...any) {
	l.die(&stateFault{fmt.Sprintf(format, args...), args})
}

// die ends the process through its owner. Until that has happened, nothing of the
// store may go on.
func (l pebbleLog) die(err error) {
	l.fatal(err)
	select {}
}

// stateFault keeps the errors among the arguments of a fatal message.
type stateFault struct {
	text string
	args []any
}

func (f *stateFault) Error() string { return f.text }

func (f *stateFault) Unwrap() (errs []error) {
	for _, a := range f.args {
		if err, ok := a.(error); ok {
			errs = append(errs, err)
		}
	}
	return errs
}

// WriteFile makes a small file durable (its directory is the caller's to sync).
func WriteFile(fs vfs.FS, path string, content []byte) error {
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeDir makes a folder and the one it is in, durably.
func makeDir(fs vfs.FS, dir string) error {
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	parent := fs.PathDir(dir)
	if err := syncDir(fs, parent); err != nil {
		return err
	}
	return syncDir(fs, fs.PathDir(parent))
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

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
