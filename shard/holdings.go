package shard

import (
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/store"
	"shoal/wire"
)

// Holdings are what this node holds of each shard: they follow the catalogue and tell
// what is here. Safe for concurrent use.
type Holdings struct {
	*resources
	calls    *calls
	replicas *replicas
	repair   *repair
	// committing is held while Committed installs deltas.
	committing sync.Mutex
}

// Shards lists the shards with data on this node, in key order.
func (h *Holdings) Shards() ([]wire.ShardKey, error) {
	if err := h.calls.enter(); err != nil {
		return nil, err
	}
	defer h.calls.leave()
	return shardsIn(h.store.DB)
}

// Arrivals counts how often data of any shard arrived. If it is equal before and after
// a call of Shards, the list is complete.
func (h *Holdings) Arrivals() uint64 { return h.arrivals.Load() }

// DamagedShards lists the shards that this node's disk has lost data of, in order. The
// channel receives a value when another one is found.
func (h *Holdings) DamagedShards() (keys []wire.ShardKey, news <-chan struct{}) {
	for _, d := range h.faults.All() {
		keys = append(keys, d.Key)
	}
	return keys, h.faults.News()
}

// Drop removes a shard from this node: its versions, its pending deltas and its data.
// From then on requests for it get wire.ErrNoShard, while open views stay readable. A
// shard that returns later starts empty.
func (h *Holdings) Drop(key wire.ShardKey) error {
	if err := h.calls.enter(); err != nil {
		return err
	}
	defer h.calls.leave()
	r, err := h.replicas.loaded(key)
	_, damaged := h.faults.Of(key)
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
	drop, err := wholeShard(h.store, key)
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
	err = errors.Join(b.Commit(pebble.Sync), b.Close(), h.columnist.SweepShard(key), h.codes.Drop(key))
	for i := range files {
		err = errors.Join(err, h.store.DropFiles(&files[i], len(files[i].Files)))
	}
	h.replicas.forget(r)
	return err
}

// dropDamaged is Drop for a shard of which parts cannot be read.
func (h *Holdings) dropDamaged(r *replica) error {
	err := h.faults.Note(r.key) // after a crash, the rest must not be read
	if err == nil {
		err = errors.Join(h.repair.excise(r.key), h.columnist.SweepShard(r.key), h.codes.Drop(r.key), h.table.SweepShard(r.key))
	}
	h.replicas.forget(r)
	if err == nil {
		_, err = h.faults.Clear(r.key)
	}
	return err
}

// Holds reports whether this node holds everything that x has published of one shard,
// installed or as deltas that only wait for their install. in is the installed version,
// 0 when there is none. It changes nothing.
func (h *Holdings) Holds(x *wire.Index, number uint16) (in uint64, whole bool, err error) {
	if err := h.calls.enter(); err != nil {
		return 0, false, err
	}
	defer h.calls.leave()
	key := wire.ShardKey{IndexID: x.ID, Shard: number}
	r, err := h.replicas.loaded(key)
	if err != nil {
		return 0, false, err
	}
	if d, damaged := h.faults.Of(key); damaged && d.Emptied {
		return 0, false, nil
	}
	want := ""
	for i := range x.Shards {
		if d := x.Shards[i].Deltas; x.Shards[i].Number == number && len(d) > 0 {
			want = d[len(d)-1].ID
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || r.current == nil {
		return 0, false, wire.ErrNoShard
	}
	at := r.current.State()
	_, whole = r.pending.path(at.DeltaID, at.Version, want)
	return at.Version, whole, nil
}
