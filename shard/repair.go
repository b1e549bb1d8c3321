package shard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

// drainTime is how long emptying a damaged shard waits for its readers.
const drainTime = 10 * time.Second

// spans lists, ascending, the key ranges of everything that this node may have written
// of a shard. It reads nothing from the store, which may be damaged. If the index has
// no other shard here, one range covers the index.
func (h *Host) spans(key wire.ShardKey) []store.KeyRange {
	if h.alone(key) {
		return []store.KeyRange{{Lo: binary.BigEndian.AppendUint32(nil, key.IndexID), Hi: binary.BigEndian.AppendUint32(nil, key.IndexID+1)}}
	}
	top := uint16(0)
	more := func(g wire.Generations) { top = max(top, g.Text, g.Facet, g.Vector) }
	if x, ok := h.index(key.IndexID); ok {
		more(x.Generations)
	}
	h.mu.Lock()
	r := h.replicas[key]
	h.mu.Unlock()
	if r != nil {
		r.mu.Lock()
		if r.current != nil {
			more(r.current.State().Generations)
		}
		r.mu.Unlock()
	}
	var out []store.KeyRange
	for g := range top + 2 { // one more may have been built and never published
		out = append(out, store.KeyRange{Lo: store.AppendPrefix(nil, key, g, 0), Hi: store.AppendPrefix(nil, key, g, 0xff)})
	}
	return out
}

// alone reports whether this node has no other shard of the index.
func (h *Host) alone(key wire.ShardKey) bool {
	if x, ok := h.index(key.IndexID); ok {
		for _, s := range slices.Concat(x.Shards, x.Next) {
			if s.Number != key.Shard && s.ReplicaOn(h.o.Node) != nil {
				return false
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for other := range h.replicas {
		if other.IndexID == key.IndexID && other.Shard != key.Shard {
			return false
		}
	}
	return true
}

// damagedFile marks the shards that lost data with a damaged file.
func (h *Host) damagedFile(ctx context.Context, f store.TableFile, why error) {
	pace := h.scrubber.Pace(ctx)
	type part struct {
		key    wire.ShardKey
		span   store.KeyRange
		mended int
	}
	var parts []part
	for _, key := range h.known() {
		for _, span := range h.spans(key) {
			if f.Overlaps(span) {
				parts = append(parts, part{key, span, h.damages.mendedBefore(key)})
			}
		}
	}
	// A copy may have replaced the file while it was read.
	if files, err := h.store.TableFiles(); err != nil || !slices.ContainsFunc(files, func(now store.TableFile) bool { return now.Path == f.Path }) {
		return
	}
	// Without a sound frame, no key of the file can be read.
	all := h.store.CheckFrame(f.Path, pace)
	hit := false
	for _, p := range parts {
		err := all
		if err == nil {
			err = h.store.CheckKeys(f.Path, p.span, pace)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil && store.Damaged(err) {
			hit = true
			if h.damages.mendedBefore(p.key) == p.mended {
				h.markDamaged(p.key, err)
			}
		}
	}
	if !hit {
		h.o.Log.Debug("shard: a table file is damaged where no shard has anything", slog.String("file", f.Path), slog.String("error", store.Reason(why)))
	}
}

// recheck forgets damage that is gone, because a compaction dropped it or the disk can
// be read again.
func (h *Host) recheck(ctx context.Context) error {
	if h.damages.count.Load() == 0 {
		return nil
	}
	files, err := h.store.TableFiles()
	if err != nil {
		return err
	}
	for _, d := range h.damages.all() {
		sound := !d.Emptied
		for _, span := range h.spans(d.Key) {
			for _, f := range files {
				if !sound || !f.Overlaps(span) {
					continue
				}
				pace := h.scrubber.Pace(ctx)
				err := h.store.CheckFrame(f.Path, pace)
				if err == nil {
					err = h.store.CheckKeys(f.Path, span, pace)
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				sound = err == nil
			}
		}
		if sound {
			h.o.Log.Info("shard: a shard that was damaged can be read again", slog.Any("shard", d.Key))
			if _, err := h.damages.clear(d.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// empty removes a damaged shard from the store and resets the replica, before a copy
// arrives. It waits until there are no readers. The caller holds installing. After an
// error it may be called again.
func (r *replica) empty() error {
	h := r.host
	// No columns are built meanwhile, because their source is being removed.
	defer h.columns.Pause()()
	was, _ := h.damages.of(r.key)
	h.damages.setEmptied(r.key, true) // no new readers
	if err := r.drain(drainTime); err != nil {
		h.damages.setEmptied(r.key, was.Emptied)
		return err
	}
	if err := h.damages.note(r.key); err != nil {
		h.damages.setEmptied(r.key, was.Emptied)
		return err
	}
	if err := h.excise(r.key); err != nil {
		return err
	}
	c, err := version.Load(h.shared, r.key, r.caching.Load)
	if err != nil {
		return err
	}
	if err := errors.Join(r.columns.Reset(c), h.sweepDeltas(r.key)); err != nil {
		c.Release()
		return err
	}
	r.columns.Advance(c, docset.Set{})
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, old := range r.older {
		old.Release()
	}
	if r.current != nil {
		r.current.Ends()
		r.current.Release()
	}
	r.current, r.older, r.pending, r.loaded = c, nil, map[string]*pendingDelta{}, true
	r.caching.Store(0)
	r.newest.Store(0)
	r.wake()
	return nil
}

// repaired records that a copy replaced a damaged shard.
func (h *Host) repaired(key wire.ShardKey) error {
	was, err := h.damages.clear(key)
	if was && err == nil {
		h.damages.mends.Add(1)
		h.o.Log.Info("shard: a damaged shard was replaced by a copy of another node", slog.Any("shard", key))
		h.dropAside()
	}
	return err
}

// sweepDeltas removes the staged files of all deltas of a shard.
func (h *Host) sweepDeltas(key wire.ShardKey) error {
	names, err := h.store.FS.List(h.store.Staging)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, store.StageName(key, "")) && !strings.HasPrefix(name, store.StageName(key, copyID)) {
			err = errors.Join(err, h.store.RemoveStaged(h.store.StagePath(name)))
		}
	}
	return err
}

// drain waits until no version of the shard has readers. A new iterator over removed
// data would find nothing and report no error.
func (r *replica) drain(limit time.Duration) error {
	idle := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		busy := slices.ContainsFunc(r.older, func(c replaced) bool { return !c.Idle() })
		return !busy && (r.current == nil || r.current.Idle())
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(limit)
	defer late.Stop()
	for r.host.unions.Drop(r.key); !idle(); r.host.unions.Drop(r.key) {
		select {
		case <-tick.C:
		case <-late.C:
			return fmt.Errorf("shard %v is damaged and still has readers: %w", r.key, wire.ErrUnavailable)
		case <-r.host.stop:
			return wire.ErrClosed
		}
	}
	return nil
}

// excise cuts a shard out of the store. Table files with keys of this shard only are
// not read. In others, the edges of the shard must be readable.
func (h *Host) excise(key wire.ShardKey) error {
	var failed error
	for _, span := range h.spans(key) {
		if err := h.store.DB.Excise(context.Background(), pebble.KeyRange{Start: span.Lo, End: span.Hi}); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	if failed == nil || !store.Damaged(failed) {
		return failed
	}
	return h.exciseFiles(key, failed)
}

// exciseFiles removes whole files in which the edges of a shard cannot be read. The
// other shards in them lose data, too, so other nodes must hold all of them.
func (h *Host) exciseFiles(key wire.ShardKey, why error) error {
	files, err := h.store.TableFiles()
	if err != nil {
		return err
	}
	spans := h.spans(key)
	files = slices.DeleteFunc(files, func(f store.TableFile) bool {
		return !slices.ContainsFunc(spans, f.Overlaps) || h.store.CheckTable(f.Path, func(int) error { return nil }) == nil
	})
	var beside []wire.ShardKey
	for _, other := range h.known() {
		inside := func(f store.TableFile) bool { return slices.ContainsFunc(h.spans(other), f.Overlaps) }
		if other == key || !slices.ContainsFunc(files, inside) {
			continue
		}
		if !h.elsewhere(other) {
			return fmt.Errorf("shard %v cannot be cut out of a file that holds the only copy of shard %v, too: %w", key, other, why)
		}
		beside = append(beside, other)
	}
	for _, other := range beside {
		done, err := h.abandon(other, why)
		if err != nil {
			return err
		}
		defer done()
	}
	for _, f := range files {
		for _, s := range f.Spans {
			if err := h.store.DB.Excise(context.Background(), pebble.KeyRange{Start: s.Lo, End: append(slices.Clone(s.Hi), 0)}); err != nil {
				return err
			}
		}
	}
	for _, span := range spans {
		if err := h.store.DB.Excise(context.Background(), pebble.KeyRange{Start: span.Lo, End: span.Hi}); err != nil {
			return err
		}
	}
	return nil
}

// abandon marks a shard as damaged before a part of it is removed, and waits until it
// has no readers. Nothing is installed until the caller calls done.
func (h *Host) abandon(key wire.ShardKey, why error) (done func(), err error) {
	h.markDamaged(key, why)
	h.mu.Lock()
	r := h.replicaOf(key)
	h.mu.Unlock()
	if !r.installing.TryLock() {
		return nil, fmt.Errorf("shard %v is damaged and in use: %w", key, wire.ErrUnavailable)
	}
	was, _ := h.damages.of(key)
	h.damages.setEmptied(key, true)
	if err := errors.Join(r.drain(drainTime), h.damages.note(key)); err != nil {
		h.damages.setEmptied(key, was.Emptied)
		r.installing.Unlock()
		return nil, err
	}
	return r.installing.Unlock, nil
}

// known lists the shards of this node: those requested since the start and those that
// the catalogue places here.
func (h *Host) known() []wire.ShardKey {
	seen := map[wire.ShardKey]bool{}
	for _, r := range h.all() {
		seen[r.key] = true
	}
	if h.o.Indexes != nil {
		for _, x := range h.o.Indexes() {
			for _, s := range slices.Concat(x.Shards, x.Next) {
				if s.ReplicaOn(h.o.Node) != nil {
					seen[wire.ShardKey{IndexID: x.ID, Shard: s.Number}] = true
				}
			}
		}
	}
	return slices.Collect(maps.Keys(seen))
}
