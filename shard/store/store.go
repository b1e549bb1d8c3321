package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire/ordered"
	"shoal/wire/turns"
)

// formatVersion is pinned by name. Raising it is irreversible, so the release before
// must already be able to read the new format.
const formatVersion = pebble.FormatTableFormatV6

// Store is the pebble database of a data folder, with the staging folder beside it.
type Store struct {
	DB      *pebble.DB
	FS      vfs.FS
	options *pebble.Options
	Staging string
	// folder holds the store's own files.
	folder string
	cache  *pebble.Cache
	// shape counts the changes of the set of table files.
	shape atomic.Uint64
	pools iteratorPools
}

// Options configure a store. All are required except where noted.
type Options struct {
	// Dir is the folder of the store and its staging area.
	Dir string
	FS  vfs.FS
	// CacheBytes is the size of the block cache.
	CacheBytes int64
	Log        *slog.Logger
	// Fatal is called when the store cannot continue. It should end the process.
	Fatal func(error)
	// Damage is called with a file that a reader found damaged, and the error. The
	// reader gets an error, too. The call must not block.
	Damage func(path string, err error)
	// Cores bounds compactions to half of them. 0 means one.
	Cores int
	// Pacer returns a function for one background goroutine of the store, which calls
	// it regularly. The function waits while there is more urgent work. May be nil.
	Pacer func() (pace func())
}

const (
	storeFolder   = "store"
	stagingFolder = "staging"
)

// Folder returns the store's own folder in a data folder.
func Folder(dir string) string { return filepath.Join(dir, storeFolder) }

// Open opens the store of a folder, and creates it if there is none.
func Open(o *Options) (*Store, error) {
	dir := Folder(o.Dir)
	s := &Store{FS: o.FS, Staging: filepath.Join(o.Dir, stagingFolder), folder: dir}
	for _, d := range []string{dir, s.Staging} {
		if err := s.FS.MkdirAll(d, 0o755); err != nil {
			return nil, fmt.Errorf("shard: creating %s: %w", d, err)
		}
	}
	// The folders themselves must survive a crash.
	for _, d := range []string{o.Dir, filepath.Dir(o.Dir)} {
		if err := s.SyncFolder(d); err != nil {
			return nil, fmt.Errorf("shard: syncing %s: %w", d, err)
		}
	}
	used, err := holdsData(s.FS, dir)
	if err != nil {
		return nil, fmt.Errorf("shard: opening the store: %w", err)
	}
	s.cache = pebble.NewCache(o.CacheBytes)
	s.options = pebbleOptions(o, s.cache)
	s.options.EventListener.CompactionEnd = func(pebble.CompactionInfo) { s.shape.Add(1) }
	s.options.EventListener.FlushEnd = func(pebble.FlushInfo) { s.shape.Add(1) }
	s.options.ErrorIfNotExists = used
	db, err := pebble.Open(dir, s.options)
	if err != nil {
		s.cache.Unref()
		return nil, fmt.Errorf("shard: opening the store: %w", err)
	}
	s.DB = db
	return s, nil
}

// OpenReadOnly opens the store of a folder without changing anything in it. It must not
// be open elsewhere.
func OpenReadOnly(o *Options) (*Store, error) {
	s := &Store{FS: o.FS, Staging: filepath.Join(o.Dir, stagingFolder), folder: Folder(o.Dir), cache: pebble.NewCache(o.CacheBytes)}
	s.options = pebbleOptions(o, s.cache)
	s.options.ReadOnly, s.options.ErrorIfNotExists = true, true
	db, err := pebble.Open(s.folder, s.options)
	if err != nil {
		s.cache.Unref()
		return nil, fmt.Errorf("shard: opening the store: %w", err)
	}
	s.DB = db
	return s, nil
}

// holdsData reports whether a store was used before. If the file that names the present
// manifest were missing, pebble would start a new manifest beside the old data.
func holdsData(fs vfs.FS, dir string) (bool, error) {
	names, err := fs.List(dir)
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".log")
	}), err
}

// Close closes the store. There must be no readers left.
func (s *Store) Close() error {
	err := s.DB.Close()
	s.cache.Unref()
	return err
}

// fs returns the file system for pebble.
func (o *Options) fs() vfs.FS {
	fs := ordered.FS(o.FS)
	if o.Pacer == nil {
		return fs
	}
	return &pacedFS{fs, o.Pacer}
}

func pebbleOptions(o *Options, cache *pebble.Cache) *pebble.Options {
	p := &pebble.Options{
		FS:                          o.fs(),
		Cache:                       cache,
		FormatMajorVersion:          formatVersion,
		Merger:                      newMerger(),
		MemTableSize:                16 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		LBaseMaxBytes:               64 << 20,
		WALBytesPerSync:             512 << 10,
		MaxOpenFiles:                1000,
		Logger:                      storeLog{o},
		EventListener:               listener(o),
		CompactionConcurrencyRange:  func() (int, int) { return 1, max(1, o.Cores/2) },
	}
	p.TargetFileSizes[0] = 4 << 20
	p.Levels[0].BlockSize = 32 << 10
	p.Levels[0].IndexBlockSize = 256 << 10
	p.Levels[0].FilterPolicy = bloom.FilterPolicy(10)
	// Pebble never consults filters of the bottom level.
	p.Levels[6].FilterPolicy = pebble.NoFilterPolicy
	p.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionFastest })
	p.Experimental.CompactionScheduler = new(turns.Compactions)
	p.EnsureDefaults()
	return p
}

// storeLog forwards pebble's log. A fatal error means that the store cannot keep its
// promises. The process must end, so Fatalf never returns.
type storeLog struct{ o *Options }

func (l storeLog) Infof(format string, args ...any) {
	l.o.Log.Debug("store: " + fmt.Sprintf(format, args...))
}

func (l storeLog) Errorf(format string, args ...any) {
	l.o.Log.Error("store: " + fmt.Sprintf(format, args...))
}

func (l storeLog) Fatalf(format string, args ...any) {
	l.o.die(&Fault{fmt.Sprintf(format, args...), args})
}

// die ends the process through its owner. It blocks until then, because the store must
// not continue.
func (o *Options) die(err error) {
	o.Fatal(err)
	select {}
}

// Fault keeps the errors among the arguments of a fatal message.
type Fault struct {
	text string
	args []any
}

// Error returns the message.
func (f *Fault) Error() string { return f.text }

// Unwrap lists the errors among the arguments.
func (f *Fault) Unwrap() (errs []error) {
	for _, a := range f.args {
		if err, ok := a.(error); ok {
			errs = append(errs, err)
		}
	}
	return errs
}

func listener(o *Options) *pebble.EventListener {
	return &pebble.EventListener{
		DataCorruption:  func(i pebble.DataCorruptionInfo) { o.Damage(i.Path, i.Details) },
		BackgroundError: func(err error) { o.Log.Error("store: background error", slog.String("error", Reason(err))) },
		DiskSlow:        func(i pebble.DiskSlowInfo) { o.Log.Warn("store: slow disk", slog.String("info", i.String())) },
		WriteStallBegin: func(i pebble.WriteStallBeginInfo) {
			o.Log.Warn("store: writes stall", slog.String("reason", i.Reason))
		},
		WriteStallEnd: func() { o.Log.Warn("store: writes go on") },
	}
}

// StagePath returns the path of a file in the staging folder.
func (s *Store) StagePath(name string) string { return filepath.Join(s.Staging, name) }

// RemoveStaged deletes a file of the staging folder. A missing file is no error.
func (s *Store) RemoveStaged(path string) error {
	err := s.FS.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// SyncStaging makes names in the staging folder durable.
func (s *Store) SyncStaging() error { return s.SyncFolder(s.Staging) }

// SyncFolder makes the names in a folder durable.
func (s *Store) SyncFolder(path string) error {
	d, err := s.FS.OpenDir(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
