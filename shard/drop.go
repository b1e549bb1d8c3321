package shard

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/store"
	"shoal/wire"
)

// Drop removes a shard from this node: its versions, its pending deltas and its data.
// From then on requests for it get wire.ErrNoShard, while open views stay readable. A
// shard that returns later starts empty.
func (h *Host) Drop(key wire.ShardKey) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	r, err := h.replica(key)
	_, damaged := h.damages.of(key)
	if err != nil && !damaged {
		return err
	}
	r.installing.Lock()
	defer r.installing.Unlock()
	r.mu.Lock()
	var files []store.Head
	for _, p := range r.pending {
		files = append(files, p.head)
	}
	r.mu.Unlock()
	r.close()
	h.unions.Drop(key)
	if damaged {
		return h.dropDamaged(r)
	}
	drop, err := h.wholeShard(key)
	if err != nil {
		return err
	}
	lo, hi := store.TableRange(key, 0, store.TablePending)
	drop = append(drop, store.KeyRange{Lo: lo, Hi: hi})
	b := h.store.DB.NewBatch()
	for _, d := range drop {
		if err := b.DeleteRange(d.Lo, d.Hi, nil); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	err = errors.Join(b.Commit(pebble.Sync), b.Close(), h.columns.SweepShard(key), h.codes.Drop(key))
	for i := range files {
		err = errors.Join(err, h.store.DropFiles(&files[i], len(files[i].Files)))
	}
	h.forget(r)
	return err
}

// dropDamaged is Drop for a shard of which parts cannot be read.
func (h *Host) dropDamaged(r *replica) error {
	err := h.damages.note(r.key) // after a crash, the rest must not be read
	if err == nil {
		err = errors.Join(h.excise(r.key), h.columns.SweepShard(r.key), h.codes.Drop(r.key), h.sweepDeltas(r.key))
	}
	h.forget(r)
	if err == nil {
		_, err = h.damages.clear(r.key)
	}
	return err
}

// forget removes a closed replica from the map.
func (h *Host) forget(r *replica) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.replicas[r.key] == r {
		delete(h.replicas, r.key)
	}
}

// Shards lists the shards with data on this node, in key order.
func (h *Host) Shards() ([]wire.ShardKey, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	return shardsIn(h.store.DB)
}

// Arrivals counts how often data of any shard arrived. If it is equal before and after
// a call of Shards, the list is complete.
func (h *Host) Arrivals() uint64 { return h.arrivals.Load() }

// shardsIn lists the shards with data in a store, in key order.
func shardsIn(db *pebble.DB) ([]wire.ShardKey, error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	var out []wire.ShardKey
	for more := it.First(); more; {
		key := it.Key()
		if len(key) < store.PrefixLen {
			more = it.Next()
			continue
		}
		shard := store.KeyOf(key)
		if store.GenerationOf(key) == 0 {
			out = append(out, shard)
		}
		more = it.SeekGE(store.AppendPrefix(nil, shard, store.GenerationOf(key), 0xff))
	}
	return out, errors.Join(it.Error(), it.Close())
}
