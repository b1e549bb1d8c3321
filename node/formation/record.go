package formation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"shoal/node/machine"
)

// Record is what a data folder remembers of the beginning of its cluster. Its content is
// durable. Safe for concurrent use.
type Record struct {
	files *machine.Files
	path  string
	mu    sync.Mutex
	now   record
}

// record is the content of the file.
type record struct {
	// Members is the set that this node last promised to begin with.
	Members Members `json:"members"`
	// Begun: it has begun. From then on neither member changes.
	Begun bool `json:"begun"`
}

// Open reads the record in a file. A missing file is an empty record.
func Open(files *machine.Files, path string) (*Record, error) {
	r := &Record{files: files, path: path}
	b, err := files.ReadSummed(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &r.now)
	}
	if err != nil {
		return nil, fmt.Errorf("read the first members: %w", err)
	}
	return r, nil
}

// Members is the last promised set, or nil. It is not modified.
func (r *Record) Members() Members {
	m, _ := r.State()
	return m
}

// State is the last promised set and whether it has begun.
func (r *Record) State() (promised Members, begun bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now.Members, r.now.Begun
}

// Promise replaces an earlier promise. It fails once a cluster has begun.
func (r *Record) Promise(m Members) error { return r.write(record{Members: m}) }

// Begin records that a cluster of these members has begun: from now on the folder belongs
// to it.
func (r *Record) Begin(m Members) error { return r.write(record{Members: m, Begun: true}) }

// Restart records, in the file of an unused folder, that another cluster begins with it.
func Restart(files *machine.Files, path string, m Members) error {
	return store(files, path, record{Members: m, Begun: true})
}

func (r *Record) write(next record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now.Begun {
		return errors.New("the first members cannot change any more: the cluster has begun")
	}
	if err := store(r.files, r.path, next); err != nil {
		return err
	}
	r.now = next
	return nil
}

func store(files *machine.Files, path string, next record) error {
	b, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encode the first members: %w", err)
	}
	if err := files.WriteSummed(path, append(b, '\n')); err != nil {
		return fmt.Errorf("write the first members: %w", err)
	}
	return nil
}
