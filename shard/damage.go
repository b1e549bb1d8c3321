package shard

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
	"shoal/shard/version"
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

// damages records the damaged shards of a node. A note on disk marks an emptied shard
// until its copy is complete, because after a crash in between the data is neither the
// old shard nor the copy. Safe for concurrent use.
type damages struct {
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

const damageFolder = "damaged"

// openDamages reads which shards an earlier process had emptied.
func openDamages(files vfs.FS, dir string, now time.Time) (*damages, error) {
	d := &damages{fs: files, dir: dir, news: make(chan struct{}, 1), shards: map[wire.ShardKey]Damage{}, mended: map[wire.ShardKey]int{}}
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
func (d *damages) add(n Damage) bool {
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

// mendedBefore returns how often a copy replaced a shard.
func (d *damages) mendedBefore(key wire.ShardKey) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mended[key]
}

// of returns the damage of a shard.
func (d *damages) of(key wire.ShardKey) (Damage, bool) {
	if d.count.Load() == 0 {
		return Damage{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n, ok := d.shards[key]
	return n, ok
}

// all lists the damages in the order of shards.
func (d *damages) all() []Damage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.SortedFunc(maps.Values(d.shards), func(a, b Damage) int {
		return cmp.Or(cmp.Compare(a.Key.IndexID, b.Key.IndexID), cmp.Compare(a.Key.Shard, b.Key.Shard))
	})
}

// setEmptied changes the flag in memory only; see note.
func (d *damages) setEmptied(key wire.ShardKey, emptied bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n, ok := d.shards[key]; ok {
		n.Emptied = emptied
		d.shards[key] = n
	}
}

func (d *damages) path(key wire.ShardKey) string {
	return d.fs.PathJoin(d.dir, fmt.Sprintf("%08x-%04x", key.IndexID, key.Shard))
}

// note durably records that a shard is emptied.
func (d *damages) note(key wire.ShardKey) error {
	f, err := d.fs.Create(d.path(key), vfs.WriteCategoryUnspecified)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close(), d.sync())
	}
	if err != nil {
		return fmt.Errorf("record that shard %v is emptied: %w", key, err)
	}
	return nil
}

// clear durably forgets the damage of a shard. It returns true if there was one.
func (d *damages) clear(key wire.ShardKey) (bool, error) {
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

func (d *damages) sync() error {
	dir, err := d.fs.OpenDir(d.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Damaged lists the shards that this node's disk has lost data of. The channel receives
// a value when another one is found.
func (h *Host) Damaged() ([]Damage, <-chan struct{}) { return h.damages.all(), h.damages.news }

// DamagedShards is Damaged for package replica, which fetches copies.
func (h *Host) DamagedShards() (keys []wire.ShardKey, news <-chan struct{}) {
	if h.damages.count.Load() == 0 {
		return nil, h.damages.news
	}
	for _, d := range h.damages.all() {
		keys = append(keys, d.Key)
	}
	return keys, h.damages.news
}

// fault translates an error of reading shards. Lost data becomes wire.ErrUnavailable,
// so that the caller asks another copy, or wire.ErrDamaged if there is no other copy. A
// shard that was read alone is marked as damaged, and so is one whose words cannot be read. Else,
// when several were read together, the scrubber finds the right one, because the store reports
// the file to it.
func (h *Host) fault(err error, keys ...wire.ShardKey) error {
	if err == nil || !store.Damaged(err) || errors.Is(err, wire.ErrUnavailable) || errors.Is(err, wire.ErrDamaged) {
		return err
	}
	var words *version.WordsError
	switch {
	case errors.As(err, &words):
		h.markDamaged(words.Key, err)
	case len(keys) == 1:
		h.markDamaged(keys[0], err)
	}
	condition := wire.ErrUnavailable
	if slices.ContainsFunc(keys, func(key wire.ShardKey) bool { return !h.elsewhere(key) }) {
		condition = wire.ErrDamaged
	}
	return fmt.Errorf("shards %v on this node (%s): %w", keys, store.Reason(err), condition)
}

// markDamaged marks a shard as damaged.
func (h *Host) markDamaged(key wire.ShardKey, why error) {
	if !h.damages.add(Damage{Key: key, Since: h.o.Now(), Why: store.Reason(why)}) {
		return
	}
	uid := ""
	if x, ok := h.index(key.IndexID); ok {
		uid = x.UID
	}
	args := []any{slog.String("index", uid), slog.Int("shard", int(key.Shard)), slog.String("error", store.Reason(why))}
	if h.elsewhere(key) {
		h.o.Log.Error("shard: a part of a shard is damaged on this disk; other nodes answer for it until a copy arrives", args...)
		return
	}
	h.o.Log.Error("shard: a part of a shard is damaged on this disk and no other node has a copy: sound parts are still served; restore the index from a snapshot or dump, or add its documents again", args...)
}

// refusal explains why a shard must not be read here: it was emptied, or another node
// has a whole copy. nil means that it may be read.
func (h *Host) refusal(key wire.ShardKey) error {
	d, damaged := h.damages.of(key)
	if !damaged || !d.Emptied && !h.elsewhere(key) {
		return nil
	}
	return fmt.Errorf("shard %v is damaged on this node: %w", key, wire.ErrUnavailable)
}

// elsewhere reports whether another node has the shard in sync.
func (h *Host) elsewhere(key wire.ShardKey) bool {
	x, ok := h.index(key.IndexID)
	if !ok {
		return false
	}
	s := x.ShardNumbered(key.Shard)
	return s != nil && slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool { return r.Node != h.o.Node && r.State == wire.InSync })
}

func (h *Host) index(id uint32) (*wire.Index, bool) {
	if h.o.Index == nil {
		return nil, false
	}
	return h.o.Index(id)
}
