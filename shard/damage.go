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
	"shoal/wire"
)

// Damage is what this node's disk has lost of one shard.
type Damage struct {
	Key   wire.ShardKey
	Since time.Time
	// Why is what the reader found.
	Why string
	// Emptied: what was left has been removed, a copy takes its place.
	Emptied bool
}

// damages knows the damaged shards of a node. That one is emptied is noted on disk until
// its copy is whole: what a crash leaves in between is neither. Safe for concurrent use.
type damages struct {
	fs  vfs.FS
	dir string

	count atomic.Int64 // of shards, for those who only ask whether there are any
	found atomic.Int64 // since the start
	mends atomic.Int64
	news  chan struct{} // capacity 1

	mu     sync.Mutex
	shards map[wire.ShardKey]Damage
	// mended counts the copies that took the place of each shard.
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
			d.add(Damage{Key: key, Since: now, Why: "it was damaged, and its copy was not whole when this node ended", Emptied: true})
		}
	}
	return d, nil
}

// add notes a damage; false when the shard was known to have one.
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

// mendedBefore is how often a shard was replaced by a copy.
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

// setEmptied changes what is known in memory.
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

// note makes durable that a shard is emptied.
func (d *damages) note(key wire.ShardKey) error {
	f, err := d.fs.Create(d.path(key), vfs.WriteCategoryUnspecified)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close(), d.sync())
	}
	if err != nil {
		return fmt.Errorf("note that shard %v is emptied: %w", key, err)
	}
	return nil
}

// clear forgets the damage of a shard, durably; true when there was one.
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
		return true, fmt.Errorf("note that shard %v is whole: %w", key, err)
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

// Damaged lists the shards that this node's disk does not hold as they were written, and
// a channel that gets a value when there are more.
func (h *Host) Damaged() ([]Damage, <-chan struct{}) { return h.damages.all(), h.damages.news }

// DamagedShards is Damaged for those that bring the shards back (package replica).
func (h *Host) DamagedShards() (keys []wire.ShardKey, news <-chan struct{}) {
	if h.damages.count.Load() == 0 {
		return nil, h.damages.news
	}
	for _, d := range h.damages.all() {
		keys = append(keys, d.Key)
	}
	return keys, h.damages.news
}

// fault looks at an error of reading shards. One that says that the disk lost something
// becomes wire.ErrUnavailable, so that another copy is asked, or wire.ErrDamaged when there
// is none. A shard that was read alone is marked; among several the scrubber, which hears
// of the file, finds the one.
func (h *Host) fault(err error, keys ...wire.ShardKey) error {
	if err == nil || !store.Damaged(err) || errors.Is(err, wire.ErrUnavailable) || errors.Is(err, wire.ErrDamaged) {
		return err
	}
	if len(keys) == 1 {
		h.harmed(keys[0], err)
	}
	condition := wire.ErrUnavailable
	if slices.ContainsFunc(keys, func(key wire.ShardKey) bool { return !h.elsewhere(key) }) {
		condition = wire.ErrDamaged
	}
	return fmt.Errorf("shards %v on this node (%s): %w", keys, store.Reason(err), condition)
}

// harmed marks a shard as damaged.
func (h *Host) harmed(key wire.ShardKey, why error) {
	if !h.damages.add(Damage{Key: key, Since: h.o.Now(), Why: store.Reason(why)}) {
		return
	}
	uid := ""
	if x, ok := h.index(key.IndexID); ok {
		uid = x.UID
	}
	args := []any{slog.String("index", uid), slog.Int("shard", int(key.Shard)), slog.String("error", store.Reason(why))}
	if h.elsewhere(key) {
		h.o.Log.Error("shard: a part of a shard is damaged on this disk; other nodes answer for it until a copy has come", args...)
		return
	}
	h.o.Log.Error("shard: a part of a shard is damaged on this disk and no other node has a copy: what is sound is served on; restore the index from a snapshot or dump, or add its documents again", args...)
}

// refusal is why a shard must not be read here: what is left of it is of no use, or
// another copy is whole.
func (h *Host) refusal(key wire.ShardKey) error {
	d, damaged := h.damages.of(key)
	if !damaged || !d.Emptied && !h.elsewhere(key) {
		return nil
	}
	return fmt.Errorf("shard %v is damaged on this node: %w", key, wire.ErrUnavailable)
}

// elsewhere tells whether another node has the shard in sync.
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
