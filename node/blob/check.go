package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/node/machine"
)

// errDamaged: this node had a copy whose content does not match its name.
var errDamaged = errors.New("the copy of the staged payload is damaged")

// checkedFor is how long the check of a copy stays valid. In that time a batch opens a
// payload at least once for each shard.
const checkedFor = time.Minute

// checked is a copy that was found intact: its file, and the time of the check.
type checked struct {
	modified time.Time
	size     int64
	at       time.Time
}

// Open opens a blob after comparing its content with its name. A damaged copy is removed,
// logged and counted. It returns fs.ErrNotExist if this node has no copy, and errDamaged
// (which is fs.ErrNotExist too) if the copy was damaged.
func (s *Store) Open(id string) (vfs.File, error) {
	found, err := s.find(id)
	if err != nil {
		return nil, err
	}
	last := fs.ErrNotExist
	for _, path := range found {
		err := s.check(id, path)
		switch {
		case err == nil:
			return s.files.Open(path)
		case errors.Is(err, errDamaged):
			last = err
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return nil, last
}

// Dropped is how many damaged copies this store has removed since it was opened.
func (s *Store) Dropped() uint64 { return s.dropped.Load() }

// check compares the content of a copy with its name. Concurrent callers share one reading.
func (s *Store) check(id, path string) error {
	info, err := s.files.Stat(path)
	if err != nil {
		return err
	}
	if s.believed(path, info) {
		return nil
	}
	_, err, _ = s.reading.Do(path, func() (any, error) {
		if s.believed(path, info) {
			return nil, nil
		}
		sum, err := hashOf(s.files, path)
		if err != nil && !errors.Is(err, syscall.EIO) {
			return nil, err
		}
		if err == nil && sum == id {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.mu.checked[path] = checked{info.ModTime(), info.Size(), s.now()}
			return nil, nil
		}
		return nil, s.drop(id, path, err)
	})
	return err
}

func (s *Store) believed(path string, info fs.FileInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.mu.checked[path]
	return ok && c.size == info.Size() && c.modified.Equal(info.ModTime()) && s.now().Sub(c.at) < checkedFor
}

// drop removes a copy that cannot be read (fault) or has other content.
func (s *Store) drop(id, path string, fault error) error {
	s.mu.Lock()
	delete(s.mu.checked, path)
	s.mu.Unlock()
	err := s.files.Remove(path)
	s.dropped.Add(1)
	s.log.Error("a copy of a staged payload was damaged and is removed; another node's copy takes its place", "payload", id, "fault", fault, "remove", err)
	return fmt.Errorf("payload %s: %w", id, errors.Join(errDamaged, fs.ErrNotExist))
}

// hashOf reads a file and returns the hash of its content.
func hashOf(files *machine.Files, path string) (string, error) {
	f, err := files.Open(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// find lists the files of a blob, or returns fs.ErrNotExist.
func (s *Store) find(id string) ([]string, error) {
	if !validID(id) {
		return nil, fs.ErrNotExist
	}
	names, err := s.files.List(s.dir)
	if err != nil {
		return nil, fmt.Errorf("find a payload: %w", err)
	}
	var found []string
	for _, name := range names {
		if strings.HasPrefix(name, id+".") {
			found = append(found, filepath.Join(s.dir, name))
		}
	}
	slices.Sort(found)
	if len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	return found, nil
}
