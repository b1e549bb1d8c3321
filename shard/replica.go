package shard

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"shoal/shard/build"
	"shoal/shard/columnist"
	"shoal/shard/docset"
	"shoal/shard/version"
	"shoal/wire"
)

// awaitVersion is how long a request waits for a version that has not arrived yet
// (architecture 7).
const awaitVersion = 100 * time.Millisecond

// replica is one shard on this node: its newest version, older ones that are still
// needed, and the pending deltas.
type replica struct {
	*resources
	key wire.ShardKey

	// installing serialises all changes of the stored shard.
	installing sync.Mutex

	mu     sync.Mutex
	loaded bool
	gone   bool // dropped
	history
	pending deltas
	changed chan struct{} // closed when current or pending change
	// announced is heldByAll of a commit that the catalogue may not show yet.
	announced uint64

	newest atomic.Uint64 // version of current
	// caching is the version whose posting sets may be cached: current, or the next one
	// while it is being installed.
	caching atomic.Uint64

	columns *columnist.Keeper

	plans build.Plans
}

// leaveWorklist removes the replica from the janitor's list when nothing is left to do.
func (r *replica) leaveWorklist() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || len(r.older) == 0 && len(r.pending) == 0 {
		r.worklist.remove(r)
	}
}

// newReplica returns a replica that is not loaded yet.
func newReplica(on *resources, key wire.ShardKey) *replica {
	return &replica{resources: on, key: key, columns: on.columnist.Keeper(key), changed: make(chan struct{})}
}

// dropped reports whether the replica was closed, because its shard was dropped or the node
// ends.
func (r *replica) dropped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone
}

// load reads the shard on first use.
func (r *replica) load() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return wire.ErrNoShard
	}
	if r.loaded {
		return nil
	}
	c, err := version.Load(r.shared, r.key, r.caching.Load)
	if err != nil {
		return err
	}
	if r.pending, err = r.loadPending(c); err != nil {
		c.Release()
		return err
	}
	if err := r.columns.Load(c); err != nil {
		c.Release()
		return err
	}
	r.columns.Advance(c, docset.Set{})
	r.codes.Load(c)
	if len(r.pending) > 0 {
		r.worklist.add(r)
	}
	r.current, r.loaded = c, true
	r.caching.Store(c.State().Version)
	r.newest.Store(c.State().Version)
	return nil
}

// publish makes c the newest version. The caller holds installing.
func (r *replica) publish(c *version.Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.worklist.add(r)
	}
	r.advance(c, r.now())
	r.pending.unprepare() // prepared for the version before
	r.newest.Store(c.State().Version)
	r.wake()
}

// wake tells waiters about a change. The caller holds mu.
func (r *replica) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// newestVersion returns the newest version with a reference, or nil if the shard is not
// loaded.
func (r *replica) newestVersion() *version.Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held()
}

// retire releases versions that are not needed any more.
func (r *replica) retire(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.retire(now)
}

func (r *replica) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = true
	r.worklist.remove(r)
	r.release()
	if err := r.columns.Close(); err != nil {
		r.log.Warn("shard: columns could not be closed", slog.Any("error", err))
	}
	r.wake()
}

// acquire returns the wanted version with a reference. If the request proves that a
// pending delta is committed, acquire installs it. It waits up to awaitVersion for a
// delta that has not arrived. Errors: wire.ErrBehind, wire.ErrGone.
func (r *replica) acquire(ctx context.Context, w wanted) (*version.Version, error) {
	if err := r.faults.Refusal(r.key); err != nil {
		return nil, err
	}
	deadline := time.NewTimer(awaitVersion)
	defer deadline.Stop()
	for {
		r.mu.Lock()
		if r.gone {
			r.mu.Unlock()
			return nil, wire.ErrNoShard
		}
		changed, c := r.changed, r.find(w)
		r.mu.Unlock()
		if c != nil {
			return c, nil
		}
		if w.byDelta && r.isPending(w.delta) {
			if err := r.faults.Translate(r.install(w.delta), r.key); err != nil {
				return nil, err
			}
			continue
		}
		if r.newest.Load() >= w.version {
			return nil, fmt.Errorf("shard %v at version %d: %w", r.key, w.version, wire.ErrGone)
		}
		select {
		case <-changed:
		case <-deadline.C:
			return nil, fmt.Errorf("shard %v at version %d: %w", r.key, w.version, wire.ErrBehind)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// drain waits until no version of the shard has readers. A new iterator over removed
// data would find nothing and report no error.
func (r *replica) drain(limit time.Duration) error {
	idle := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.idle()
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(limit)
	defer late.Stop()
	for r.unions.Drop(r.key); !idle(); r.unions.Drop(r.key) {
		select {
		case <-tick.C:
		case <-late.C:
			return fmt.Errorf("shard %v is damaged and still has readers: %w", r.key, wire.ErrUnavailable)
		case <-r.ended:
			return wire.ErrClosed
		}
	}
	return nil
}
