package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/singleflight"

	"shoal/node/machine"
)

// settled is how long a blob whose task is finished stays: a batch that is
// built again on another node after a leader change may still want it.
const settled = 30 * time.Second

// unfinished begins the names of blobs that are on their way.
const unfinished = "incoming-"

// Store is the blobs of one node: files named HASH.EPOCH. Safe for concurrent
// use.
type Store struct {
	files    *machine.Files
	dir      string
	log      *slog.Logger
	now      func() time.Time // for waiting times only
	incoming atomic.Uint64    // names unfinished files
	// reading shares the readings that check copies.
	reading singleflight.Group
	dropped atomic.Uint64
	mu      struct {
		sync.Mutex
		checked map[string]checked   // by path
		idle    map[string]time.Time // finished blobs, since when
		seen    map[string]bool      // blobs that a task named at some time
		// again are blobs that were staged once more since Named was called: whose task
		// it was that named them cannot be told.
		again map[string]bool
		// restaged are blobs that were staged once more while they were here: that a
		// task is pending says nothing of the one that is still to come.
		restaged map[string]bool
	}
}

// Open uses dir, makes it when missing and removes what an interrupted transfer
// left. Damaged copies are told to log.
func Open(files *machine.Files, dir string, log *slog.Logger) (*Store, error) {
	if err := files.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("folder of staged payloads: %w", err)
	}
	s := &Store{files: files, dir: dir, log: log, now: time.Now}
	s.mu.checked, s.mu.restaged = map[string]checked{}, map[string]bool{}
	s.mu.idle, s.mu.seen, s.mu.again = map[string]time.Time{}, map[string]bool{}, map[string]bool{}
	left, err := files.List(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of staged payloads: %w", err)
	}
	for _, f := range left {
		if !strings.HasPrefix(f, unfinished) {
			continue
		}
		if err := files.Remove(filepath.Join(dir, f)); err != nil {
			return nil, fmt.Errorf("remove an unfinished payload: %w", err)
		}
	}
	return s, nil
}

// Writer takes one blob in. Commit makes it durable; Close without Commit
// leaves nothing.
type Writer struct {
	s    *Store
	path string
	f    vfs.File
	sum  hash.Hash
	size int64
}

// Create begins a blob.
func (s *Store) Create() (*Writer, error) {
	path := filepath.Join(s.dir, unfinished+strconv.FormatUint(s.incoming.Add(1), 10))
	f, err := s.files.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("stage a payload: %w", err)
	}
	return &Writer{s: s, path: path, f: f, sum: sha256.New()}, nil
}

func (w *Writer) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	w.sum.Write(p[:n])
	w.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("stage a payload: %w", err)
	}
	return n, nil
}

// Commit syncs the blob under its hash and returns it with the size. want, when
// not empty, is what the hash must be.
func (w *Writer) Commit(want string, epoch uint64) (id string, size int64, err error) {
	id = hex.EncodeToString(w.sum.Sum(nil))
	if want != "" && want != id {
		return "", 0, fmt.Errorf("a staged payload changed on its way: expected %s, received %s", want, id)
	}
	if err := w.f.Sync(); err != nil {
		return "", 0, fmt.Errorf("stage a payload: %w", err)
	}
	if err := w.f.Close(); err != nil {
		return "", 0, fmt.Errorf("stage a payload: %w", err)
	}
	w.f = nil
	if err := w.s.place(w.path, id, epoch); err != nil {
		return "", 0, errors.Join(fmt.Errorf("stage a payload: %w", err), w.s.files.Remove(w.path))
	}
	if err := w.s.files.SyncDir(w.s.dir); err != nil {
		return "", 0, fmt.Errorf("stage a payload: %w", err)
	}
	return id, w.size, nil
}

// place gives a blob its name. The same content may have been here before, for a
// task that is finished: it begins a new life, which Sweep must not take for the
// old one.
func (s *Store) place(tmp, id string, epoch uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mu.idle, id)
	delete(s.mu.seen, id)
	switch _, err := s.find(id); {
	case err == nil:
		s.mu.again[id], s.mu.restaged[id] = true, true
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return s.files.Rename(tmp, s.path(id, epoch))
}

// Named tells that tasks which were accepted since the last call name these blobs:
// each may go once no pending task names it any more. Those that are not here are
// left out.
func (s *Store) Named(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if !s.mu.again[id] {
			s.mu.seen[id] = true
			delete(s.mu.restaged, id)
		}
	}
	clear(s.mu.again)
}

// Close drops a blob that was not committed.
func (w *Writer) Close() error {
	if w.f == nil {
		return nil
	}
	return errors.Join(w.f.Close(), w.s.files.Remove(w.path))
}

func (s *Store) path(id string, epoch uint64) string {
	return filepath.Join(s.dir, id+"."+strconv.FormatUint(epoch, 10))
}

// Get opens a blob as it is, for what was stored a moment ago; Open looks at the
// content first. fs.ErrNotExist when this node has none.
func (s *Store) Get(id string) (vfs.File, error) {
	found, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return s.files.Open(found[0])
}

func validID(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == sha256.Size
}

// Sweep removes blobs that no task needs any more: those of finished tasks after
// a while, and those that no task ever named once their epoch is below
// minEpoch. pending are the ids that unfinished tasks name; it must be read after
// minEpoch, or a task that was accepted in between would lose its blob.
func (s *Store) Sweep(pending map[string]bool, minEpoch uint64, now time.Time) error {
	entries, err := s.files.List(s.dir)
	if err != nil {
		return fmt.Errorf("folder of staged payloads: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	here := map[string]bool{}
	for _, e := range entries {
		id, rest, ok := strings.Cut(e, ".")
		epoch, err := strconv.ParseUint(rest, 10, 64)
		if !ok || err != nil || !validID(id) {
			continue
		}
		here[id] = true
		if pending[id] {
			s.mu.seen[id] = !s.mu.restaged[id]
			delete(s.mu.idle, id)
			continue
		}
		if s.mu.idle[id].IsZero() {
			s.mu.idle[id] = now
		}
		finished := s.mu.seen[id] && now.Sub(s.mu.idle[id]) >= settled
		if finished || epoch < minEpoch {
			path := filepath.Join(s.dir, e)
			delete(s.mu.checked, path)
			errs = append(errs, s.files.Remove(path))
		}
	}
	for id := range s.mu.idle {
		if !here[id] {
			delete(s.mu.idle, id)
		}
	}
	for _, known := range []map[string]bool{s.mu.seen, s.mu.restaged} {
		for id := range known {
			if !here[id] {
				delete(known, id)
			}
		}
	}
	return errors.Join(errs...)
}
