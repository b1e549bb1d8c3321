package attempts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// markAfter is how long a build must last before it is noted on disk. What kills a
// process takes longer, and small batches should not pay for it.
const markAfter = 50 * time.Millisecond

// Attempts notes on disk which builds are running, so that the next process knows which
// one killed this one. Otherwise a batch that takes all memory would kill one node
// after the other, forever. Safe for concurrent use.
type Attempts struct {
	fs  vfs.FS
	dir string

	mu   sync.Mutex
	seen map[wire.ShardKey]attempt
}

// attempt counts the processes of this node that died while they built one batch.
type attempt struct {
	batch  string
	deaths int
}

// batchOf returns the name of a batch, which is the same in every attempt.
func batchOf(req *wire.BuildRequest) string {
	task := uint32(0)
	if len(req.Ops) > 0 {
		task = req.Ops[0].Task
	}
	return fmt.Sprintf("%d-%d", req.Base, task)
}

// Open reads the notes of earlier processes. It ignores unreadable ones, because
// starting is more important.
func Open(files vfs.FS, dir string) (*Attempts, error) {
	a := &Attempts{fs: files, dir: dir, seen: map[wire.ShardKey]attempt{}}
	if err := files.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of running builds: %w", err)
	}
	names, err := files.List(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of running builds: %w", err)
	}
	for _, name := range names {
		var key wire.ShardKey
		var one attempt
		if _, err := fmt.Sscanf(name, "%d-%d", &key.IndexID, &key.Shard); err != nil {
			continue
		}
		if text, err := a.read(name); err == nil {
			batch, deaths, _ := strings.Cut(strings.TrimSpace(text), " ")
			one.batch = batch
			if one.deaths, err = strconv.Atoi(deaths); err == nil {
				a.seen[key] = one
			}
		}
	}
	return a, nil
}

func (a *Attempts) read(name string) (string, error) {
	f, err := a.fs.Open(a.fs.PathJoin(a.dir, name))
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, 1<<10))
	return string(b), errors.Join(err, f.Close())
}

// Begin starts an attempt. The error is wire.ErrDied if more processes of this node
// died during this batch than the caller knows of. The caller must call end with the
// outcome.
func (a *Attempts) Begin(req *wire.BuildRequest) (end func(error) error, err error) {
	batch := batchOf(req)
	a.mu.Lock()
	one := a.seen[req.Key]
	if one.batch != batch {
		one = attempt{batch: batch}
	}
	a.mu.Unlock()
	if one.deaths > req.Deaths {
		return nil, fmt.Errorf("this node died while it built the batch: %w", wire.ErrDied)
	}
	var once sync.Mutex
	noted, over := false, false
	t := time.AfterFunc(markAfter, func() {
		once.Lock()
		defer once.Unlock()
		if !over {
			noted = a.note(req.Key, attempt{batch, one.deaths + 1}) == nil
		}
	})
	return func(outcome error) error {
		t.Stop()
		once.Lock()
		defer once.Unlock()
		over = true
		a.mu.Lock()
		if outcome == nil || one.deaths == 0 {
			delete(a.seen, req.Key)
		} else {
			a.seen[req.Key] = one
		}
		a.mu.Unlock()
		switch {
		case outcome != nil && one.deaths > 0:
			return a.note(req.Key, one)
		case noted || one.deaths > 0:
			return a.forget(req.Key)
		}
		return nil
	}, nil
}

func (a *Attempts) path(key wire.ShardKey) string {
	return a.fs.PathJoin(a.dir, fmt.Sprintf("%d-%d", key.IndexID, key.Shard))
}

// note writes what the next process finds if this one dies now. It does not sync: the
// note survives the death of a process, and a power failure says nothing about a batch.
func (a *Attempts) note(key wire.ShardKey, one attempt) error {
	f, err := a.fs.Create(a.path(key), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %d\n", one.batch, one.deaths)
	return errors.Join(err, f.Close())
}

func (a *Attempts) forget(key wire.ShardKey) error {
	if err := a.fs.Remove(a.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
