package shard

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"shoal/api/settings"
	"shoal/shard/union"
	"shoal/shard/version"
	"shoal/wire"
)

// View returns exactly the version that a request names, never a newer one. Errors:
// wire.ErrBehind if it has not arrived, wire.ErrGone if it is no longer kept,
// wire.ErrNoShard. The caller must close the View.
func (h *Host) View(ctx context.Context, x *wire.PinnedIndex) (*version.View, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	r, err := h.replica(x.Key)
	if err != nil {
		return nil, err
	}
	c, err := r.acquire(ctx, h.wantedBy(x.Key, x, x.DeltaID))
	if err != nil {
		return nil, err
	}
	settings, pk, err := h.asked(c, x)
	if err != nil {
		c.Release()
		return nil, err
	}
	return c.ViewWith(settings, pk), nil
}

// wantedBy identifies the version that a request reads. delta is the one that led to
// it, "" if unknown.
func (h *Host) wantedBy(key wire.ShardKey, x *wire.PinnedIndex, delta string) wanted {
	if delta != "" {
		return wanted{version: x.Version, delta: delta, byDelta: true}
	}
	return h.deltaAt(key, x.Version)
}

// asked returns the settings and the primary key with which a request reads a version.
func (h *Host) asked(c *version.Version, x *wire.PinnedIndex) (settings *settings.Settings, pk string, err error) {
	raw, settings := c.Stored()
	if x.Settings == nil {
		settings = h.newerSettings(c, x)
	} else if string(x.Settings) != string(raw) {
		// The settings changed without work for the shards.
		settings, err = version.DecodeSettings(x.Settings)
	}
	return settings, cmp.Or(x.PrimaryKey, c.State().PrimaryKey), err
}

// United returns exact versions of several shards of an index, read as one: the shard
// of x and others. Errors as for View. The caller must close it.
func (h *Host) United(ctx context.Context, x *wire.PinnedIndex, others []wire.PinnedShard) (*union.View, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	pinned := append([]wire.PinnedShard{{Shard: x.Key.Shard, DeltaID: x.DeltaID}}, others...)
	slices.SortFunc(pinned, func(a, b wire.PinnedShard) int { return cmp.Compare(a.Shard, b.Shard) })
	shards, wants := make([]uint16, len(pinned)), make([]wanted, len(pinned))
	for i, p := range pinned {
		if i > 0 && p.Shard == pinned[i-1].Shard {
			return nil, fmt.Errorf("shard: a search names shard %d twice", p.Shard)
		}
		shards[i], wants[i] = p.Shard, h.wantedBy(wire.ShardKey{IndexID: x.Key.IndexID, Shard: p.Shard}, x, p.DeltaID)
	}
	for _, shard := range shards {
		if err := h.refusal(wire.ShardKey{IndexID: x.Key.IndexID, Shard: shard}); err != nil {
			return nil, err
		}
	}
	s := h.unions.Find(x.Key.IndexID, shards, func(i int, c *version.Version) bool { return wants[i].is(c) })
	if s == nil {
		parts, err := h.acquireAll(ctx, x.Key.IndexID, shards, wants)
		if err != nil {
			return nil, err
		}
		s = h.unions.Unite(x.Key.IndexID, shards, parts)
	}
	settings, pk, err := h.asked(s.Newest(), x)
	if err != nil {
		s.Release()
		return nil, err
	}
	return s.View(settings, pk), nil
}

// acquireAll returns the wanted versions of some shards, with a reference to each.
func (h *Host) acquireAll(ctx context.Context, index uint32, shards []uint16, wants []wanted) (parts []*version.Version, err error) {
	defer func() {
		if err != nil {
			for _, c := range parts {
				c.Release()
			}
		}
	}()
	replicas, err := h.load(index, shards)
	if err != nil {
		return nil, err
	}
	for i, r := range replicas {
		c, err := r.acquire(ctx, wants[i])
		if err != nil {
			return parts, err
		}
		parts = append(parts, c)
	}
	return parts, nil
}

// loaders bounds the shards that one search loads at once.
const loaders = 8

// load returns the replicas of some shards. Those that were not loaded since the start are
// loaded at the same time, because each of them waits for the disk.
func (h *Host) load(index uint32, shards []uint16) ([]*replica, error) {
	replicas := make([]*replica, len(shards))
	var group errgroup.Group
	group.SetLimit(loaders)
	for i, shard := range shards {
		group.Go(func() (err error) {
			replicas[i], err = h.replica(wire.ShardKey{IndexID: index, Shard: shard})
			return err
		})
	}
	return replicas, group.Wait()
}

// newest returns the newest version of a shard with a reference, or nil if the shard is
// not loaded.
func (h *Host) newest(key wire.ShardKey) *version.Version {
	h.mu.Lock()
	r := h.replicas[key]
	h.mu.Unlock()
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil || !r.current.Acquire() {
		return nil
	}
	return r.current
}

// newerSettings returns the catalogue's settings if the request was made for them, else
// the shard's own.
func (h *Host) newerSettings(c *version.Version, x *wire.PinnedIndex) *settings.Settings {
	_, own := c.Stored()
	if h.o.Index == nil {
		return own
	}
	index, ok := h.o.Index(x.Key.IndexID)
	if !ok || index.SettingsVersion != x.SettingsVersion || index.SettingsVersion <= c.State().Version {
		return own
	}
	return index.DecodedSettings()
}
