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

// settled is how long a blob stays after its task has finished: after a change of leader
// another node may build the batch again and need it.
const settled = 30 * time.Second

// unfinished is the prefix of blobs that are being received.
const unfinished = "incoming-"

// Store holds the blobs of one node as files named HASH.EPOCH. Safe for concurrent use.
type Store struct {
	files    *machine.Files
	dir      string
	log      *slog.Logger
	now      func() time.Time // for waiting times only
	incoming atomic.Uint64    // names unfinished files
	// reading makes concurrent checks of a copy share one reading.
	reading singleflight.Group
	dropped atomic.Uint64
	mu      struct {
		sync.Mutex
		checked map[string]checked   // by path
		idle    map[string]time.Time // finished blobs, since when
		seen    map[string]bool      // blobs that a task named at some time
		// again holds blobs that were staged once more since the last call of Named. It is
		// unknown which of their tasks Named means.
		again map[string]bool
		// restaged holds blobs that were staged once more while a copy was here. A pending
		// task says nothing about the task that is still to come.
		restaged map[string]bool
	}
}

// Open opens dir, creates it if missing and removes the remains of interrupted transfers.
// It reports damaged copies to log.
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

// Writer receives one blob. Commit makes it durable; Close without Commit discards it.
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

// Commit syncs the blob under its hash and returns the hash and the size. want, unless
// empty, is the required hash.
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

// place gives a blob its name. The same content may have been here before for a finished
// task. Sweep must not judge the new blob by that task.
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

// Named says that tasks which were accepted since the last call name these blobs. Each blob
// may be removed once no pending task names it. Blobs without a copy here are ignored.
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

// Close discards a blob that was not committed.
func (w *Writer) Close() error {
	if w.f == nil {
		return nil
	}
	return errors.Join(w.f.Close(), w.s.files.Remove(w.path))
}

func (s *Store) path(id string, epoch uint64) string {
	return filepath.Join(s.dir, id+"."+strconv.FormatUint(epoch, 10))
}

// Get opens a blob without checking it, right after it was stored. Open checks the content
// first. It returns fs.ErrNotExist if this node has no copy.
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

// Sweep removes blobs that no task needs any more: those of finished tasks after a while,
// and those that no task ever named once their epoch is below minEpoch. pending are the ids
// that unfinished tasks name. It must be read after minEpoch; otherwise a task accepted in
// between would lose its blob.
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
