package shard

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"shoal/shard/version"
	"shoal/wire"
)

// earlyShards bounds the shards that are loaded at startup. More would hold memory that may never
// be needed: small ones are loaded fast enough when a search asks for them.
const earlyShards = 32

// wordsAfter is the pause between loading the shards and reading their words. Until then searches
// have the processor and the disk to themselves; those that need words read them at once.
// wordsWait is how long reading them then waits for searches in progress.
const wordsAfter, wordsWait = time.Second, 200 * time.Millisecond

// largest lists the shards with the most files, at most earlyShards, the largest first.
func largest(columns, codes map[wire.ShardKey]int) []wire.ShardKey {
	files := map[wire.ShardKey]int{}
	for _, of := range []map[wire.ShardKey]int{columns, codes} {
		for key, n := range of {
			files[key] += n
		}
	}
	keys := slices.SortedFunc(maps.Keys(files), func(a, b wire.ShardKey) int {
		return cmp.Or(cmp.Compare(files[b], files[a]), cmp.Compare(a.IndexID, b.IndexID), cmp.Compare(a.Shard, b.Shard))
	})
	return keys[:min(len(keys), earlyShards)]
}

// loadEarly loads shards right after a start, and their words a little later, so that the first
// searches need not. It ends soon after ctx does; a read in progress is finished.
func (h *Host) loadEarly(ctx context.Context, keys []wire.ShardKey) {
	h.forEach(ctx, keys, h.loadPresent)
	select {
	case <-ctx.Done():
	case <-time.After(wordsAfter):
		h.forEach(ctx, keys, func(key wire.ShardKey) error { return h.readWords(ctx, key) })
	}
}

// forEach does a step of loadEarly for each shard, several at a time.
func (h *Host) forEach(ctx context.Context, keys []wire.ShardKey, step func(wire.ShardKey) error) {
	var group errgroup.Group
	group.SetLimit(h.o.Cores)
	for _, key := range keys {
		group.Go(func() error {
			if ctx.Err() == nil {
				h.loadStep(key, step)
			}
			return nil
		})
	}
	_ = group.Wait() // never fails
}

// loadStep does a step for a shard, and logs and notes a fault.
func (h *Host) loadStep(key wire.ShardKey, step func(wire.ShardKey) error) {
	if err := h.fault(wire.Catch(func() error { return step(key) }), key); err != nil {
		h.o.Log.Warn("shard: a shard could not be loaded at the start; the first request for it tries again",
			slog.Any("shard", key), slog.Any("error", err))
	}
}

// loadPresent loads a shard if it is here and may be read.
func (h *Host) loadPresent(key wire.ShardKey) error {
	if refused := h.refusal(key); refused != nil {
		return nil //nolint:nilerr // it is known to be damaged
	}
	r, err := h.present(key)
	if r == nil || err != nil {
		return err
	}
	if err := r.load(); !errors.Is(err, wire.ErrNoShard) { // dropped meanwhile
		return err
	}
	return nil
}

// present returns the replica of a shard that has data here, or nil. Drop removes the data before
// it forgets the replica. So, under the lock, a shard with data has no later replica than Drop's.
func (h *Host) present(key wire.ShardKey) (*replica, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if gone, err := version.Gone(h.store, key); gone || err != nil {
		return nil, err
	}
	return h.replicaOf(key), nil
}

// readWords reads the words of a loaded shard.
func (h *Host) readWords(ctx context.Context, key wire.ShardKey) error {
	v := h.newest(key)
	if v == nil {
		return nil
	}
	defer v.Release()
	if err := h.gate.wait(ctx, time.Now().Add(wordsWait)); err != nil {
		return nil // the host ends
	}
	_, _, err := v.Dictionaries()
	return err
}
