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

	"shoal/shard/gate"
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

// loader loads shards right after a start. For one goroutine.
type loader struct {
	replicas *replicas
	gate     *gate.Gate
	cores    int // how many shards are loaded at a time
}

// run loads shards right after a start, and their words a little later, so that the first
// searches need not. It ends soon after ctx does.
func (l *loader) run(ctx context.Context, keys []wire.ShardKey) {
	l.forEach(ctx, keys, l.load)
	select {
	case <-ctx.Done():
	case <-time.After(wordsAfter):
		l.forEach(ctx, keys, func(key wire.ShardKey) error { return l.readWords(ctx, key) })
	}
}

// forEach does a step of run for each shard, several at a time.
func (l *loader) forEach(ctx context.Context, keys []wire.ShardKey, step func(wire.ShardKey) error) {
	var group errgroup.Group
	group.SetLimit(l.cores)
	for _, key := range keys {
		group.Go(func() error {
			if ctx.Err() == nil {
				l.step(key, step)
			}
			return nil
		})
	}
	_ = group.Wait() // never fails
}

// step does a step for a shard, and logs and notes a fault.
func (l *loader) step(key wire.ShardKey, do func(wire.ShardKey) error) {
	if err := l.replicas.faults.Translate(wire.Catch(func() error { return do(key) }), key); err != nil {
		l.replicas.log.Warn("shard: a shard could not be loaded at the start; the first request for it tries again",
			slog.Any("shard", key), slog.Any("error", err))
	}
}

// load loads a shard if it is here and may be read.
func (l *loader) load(key wire.ShardKey) error {
	if refused := l.replicas.faults.Refusal(key); refused != nil {
		return nil //nolint:nilerr // it is known to be damaged
	}
	r, err := l.replicas.present(key)
	if r == nil || err != nil {
		return err
	}
	if err := r.load(); !errors.Is(err, wire.ErrNoShard) { // dropped meanwhile
		return err
	}
	return nil
}

// readWords reads the words of a loaded shard.
func (l *loader) readWords(ctx context.Context, key wire.ShardKey) error {
	v := l.replicas.newest(key)
	if v == nil {
		return nil
	}
	defer v.Release()
	if err := l.gate.Wait(ctx, time.Now().Add(wordsWait)); err != nil {
		return nil // the host ends
	}
	if err := v.ReadDictionaries(ctx); ctx.Err() == nil {
		return err
	}
	return nil // the host ends
}
