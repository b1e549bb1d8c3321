package damage

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

// Damage describes what this node's disk lost of one shard.
type Damage struct {
	Key   wire.ShardKey
	Since time.Time
	// Why is the error of the reader.
	Why string
	// Emptied means that the damaged data was removed. The shard waits for a copy.
	Emptied bool
}

// Register records the damaged shards of a node. A note on disk marks an emptied shard
// until its copy is complete, because after a crash in between the data is neither the
// old shard nor the copy. Safe for concurrent use.
type Register struct {
	fs  vfs.FS
	dir string

	count atomic.Int64 // number of shards, readable without the lock
	found atomic.Int64 // since the start
	mends atomic.Int64
	news  chan struct{} // capacity 1

	mu     sync.Mutex
	shards map[wire.ShardKey]Damage
	// mended counts, per shard, the copies that replaced damaged data.
	mended map[wire.ShardKey]int
}

// folder holds the notes, in the folder of a node's shards.
const folder = "damaged"

// Open reads which shards an earlier process had emptied. dir is the folder of the
// node's shards.
func Open(files vfs.FS, dir string, now time.Time) (*Register, error) {
	dir = files.PathJoin(dir, folder)
	d := &Register{fs: files, dir: dir, news: make(chan struct{}, 1), shards: map[wire.ShardKey]Damage{}, mended: map[wire.ShardKey]int{}}
	if err := files.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of damaged shards: %w", err)
	}
	names, err := files.List(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of damaged shards: %w", err)
	}
	for _, name := range names {
		var key wire.ShardKey
		if _, err := fmt.Sscanf(name, "%08x-%04x", &key.IndexID, &key.Shard); err == nil {
			d.add(Damage{Key: key, Since: now, Why: "it was damaged, and this node ended before its copy was complete", Emptied: true})
		}
	}
	return d, nil
}

// add records a damage. It returns false if the shard was already damaged.
func (d *Register) add(n Damage) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.shards[n.Key]; known {
		return false
	}
	d.shards[n.Key] = n
	d.count.Add(1)
	d.found.Add(1)
	select {
	case d.news <- struct{}{}:
	default:
	}
	return true
}

// MendedBefore returns how often a copy replaced a shard.
func (d *Register) MendedBefore(key wire.ShardKey) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mended[key]
}

// Of returns the damage of a shard.
func (d *Register) Of(key wire.ShardKey) (Damage, bool) {
	if d.count.Load() == 0 {
		return Damage{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n, ok := d.shards[key]
	return n, ok
}

// All lists the damages in the order of shards.
func (d *Register) All() []Damage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.SortedFunc(maps.Values(d.shards), func(a, b Damage) int {
		return cmp.Or(cmp.Compare(a.Key.IndexID, b.Key.IndexID), cmp.Compare(a.Key.Shard, b.Key.Shard))
	})
}

// News receives a value when another damage is recorded.
func (d *Register) News() <-chan struct{} { return d.news }

// Mended counts a copy that replaced a damaged shard.
func (d *Register) Mended() { d.mends.Add(1) }

// Figures count damaged shards: those of the present, and those found and mended since
// the start. They take no lock.
type Figures struct{ Shards, Found, Mended int64 }

// Figures returns the counters.
func (d *Register) Figures() Figures {
	return Figures{Shards: d.count.Load(), Found: d.found.Load(), Mended: d.mends.Load()}
}

// SetEmptied changes the flag in memory only; see Note.
func (d *Register) SetEmptied(key wire.ShardKey, emptied bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n, ok := d.shards[key]; ok {
		n.Emptied = emptied
		d.shards[key] = n
	}
}

func (d *Register) path(key wire.ShardKey) string {
	return d.fs.PathJoin(d.dir, fmt.Sprintf("%08x-%04x", key.IndexID, key.Shard))
}

// Note durably records that a shard is emptied.
func (d *Register) Note(key wire.ShardKey) error {
	f, err := d.fs.Create(d.path(key), vfs.WriteCategoryUnspecified)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close(), d.sync())
	}
	if err != nil {
		return fmt.Errorf("record that shard %v is emptied: %w", key, err)
	}
	return nil
}

// Clear durably forgets the damage of a shard, because its data can be read again or is
// gone. It returns true if there was one.
func (d *Register) Clear(key wire.ShardKey) (bool, error) {
	d.mu.Lock()
	_, known := d.shards[key]
	d.mu.Unlock()
	if !known {
		return false, nil
	}
	err := d.fs.Remove(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	} else if err == nil {
		err = d.sync()
	}
	if err != nil {
		return true, fmt.Errorf("record that shard %v is whole: %w", key, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.shards[key]; known {
		delete(d.shards, key)
		d.mended[key]++
		d.count.Add(-1)
	}
	return true, nil
}

func (d *Register) sync() error {
	dir, err := d.fs.OpenDir(d.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
