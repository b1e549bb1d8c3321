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

	"shoal/wire"
)

// earlyShards is how many shards are loaded at a start. More would hold memory that may never
// be needed: small ones are loaded fast enough when a search asks for them.
const earlyShards = 32

// largest lists the shards with most files, at most earlyShards, the largest first.
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

const (
	// wordsAfter is when words are read after a start. Until then searches have the processor
	// and the disk to themselves; those that need words read them at once.
	wordsAfter = time.Second
	// wordsWait is how long reading words then waits for searches in progress.
	wordsWait = 200 * time.Millisecond
)

// loadEarly loads shards right after a start, and their words a little later, so that the first
// searches need not. It ends when ctx does.
func (h *Host) loadEarly(ctx context.Context, keys []wire.ShardKey) {
	load := func(key wire.ShardKey) error {
		if _, err := h.replica(key); !errors.Is(err, wire.ErrNoShard) { // dropped meanwhile
			return err
		}
		return nil
	}
	words := func(key wire.ShardKey) error {
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
	h.forEach(ctx, keys, load)
	select {
	case <-ctx.Done():
	case <-time.After(wordsAfter):
		h.forEach(ctx, keys, words)
	}
}

// forEach does a step of loadEarly for each shard, several at a time.
func (h *Host) forEach(ctx context.Context, keys []wire.ShardKey, step func(wire.ShardKey) error) {
	var group errgroup.Group
	group.SetLimit(h.o.Cores)
	for _, key := range keys {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			return wire.Catch(func() error { return step(key) })
		})
	}
	if err := group.Wait(); err != nil {
		h.o.Log.Warn("shard: not all shards could be loaded at the start; the first request for one tries again", slog.Any("error", err))
	}
}
