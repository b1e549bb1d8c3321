package shard

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"shoal/shard/build"
	"shoal/shard/columnist"
	"shoal/shard/docset"
	"shoal/shard/version"
	"shoal/wire"
)

const (
	// retention is how long a replaced version stays available.
	retention = 5 * time.Second
	// maxVersions bounds the replaced versions that are kept without readers.
	maxVersions = 256
	// awaitVersion is how long a request waits for a version that has not arrived yet
	// (architecture 7).
	awaitVersion = 100 * time.Millisecond
)

// replica is one shard on this node: its newest version, older ones that are still
// needed, and the pending deltas.
type replica struct {
	host *Host
	key  wire.ShardKey

	// installing serialises all changes of the stored shard.
	installing sync.Mutex

	mu      sync.Mutex
	loaded  bool
	gone    bool // dropped
	current *version.Version
	older   []replaced // oldest first
	pending map[string]*pendingDelta
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

// worklist are the replicas with work for the janitor. Of many shards, most have
// neither older versions nor deltas. A replica's lock may be held when its lock is
// taken.
type worklist struct {
	mu  sync.Mutex
	all map[*replica]struct{}
}

func (s *worklist) add(r *replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*replica]struct{}{}
	}
	s.all[r] = struct{}{}
}

func (s *worklist) remove(r *replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, r)
}

func (s *worklist) list() []*replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.all))
}

// leaveWorklist removes the replica from the janitor's list when nothing is left to do.
func (r *replica) leaveWorklist() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || len(r.older) == 0 && len(r.pending) == 0 {
		r.host.worklist.remove(r)
	}
}

// newReplica returns a replica that is not loaded yet.
func (h *Host) newReplica(key wire.ShardKey) *replica {
	return &replica{host: h, key: key, columns: h.columns.Keeper(key), changed: make(chan struct{})}
}

// replaced is an older version and the time of its replacement.
type replaced struct {
	*version.Version
	at time.Time
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
	c, err := version.Load(r.host.shared, r.key, r.caching.Load)
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
	r.host.codes.Load(c)
	if len(r.pending) > 0 {
		r.host.worklist.add(r)
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
	if old := r.current; old != nil {
		r.older = append(r.older, replaced{old, r.host.o.Now()})
		r.host.worklist.add(r)
	}
	r.current = c
	for _, p := range r.pending {
		p.prepared = nil // prepared for the version before
	}
	r.newest.Store(c.State().Version)
	r.wake()
}

// wake tells waiters about a change. The caller holds mu.
func (r *replica) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// retire releases replaced versions without readers after the retention, or earlier if
// there are more than maxVersions.
func (r *replica) retire(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	idle := 0
	for _, c := range r.older {
		if c.Idle() {
			idle++
		}
	}
	r.older = slices.DeleteFunc(r.older, func(c replaced) bool {
		if !c.Idle() || idle <= maxVersions && now.Sub(c.at) < retention {
			return false
		}
		idle--
		c.Release()
		return true
	})
	if len(r.older) == 0 {
		r.older = nil // free the array, too
	}
}

func (r *replica) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = true
	r.host.worklist.remove(r)
	for _, c := range r.older {
		c.Release()
	}
	if r.current != nil {
		r.current.Ends()
		r.current.Release()
	}
	r.older, r.current = nil, nil
	if err := r.columns.Close(); err != nil {
		r.host.o.Log.Warn("shard: columns could not be closed", slog.Any("error", err))
	}
	r.wake()
}

// wanted identifies the version that a request reads, by the delta that led to it or
// else by number.
type wanted struct {
	version uint64
	delta   string
	// byDelta: delta decides. "" then means the state before the first delta.
	byDelta bool
}

// is reports whether c is the wanted version.
func (w wanted) is(c *version.Version) bool {
	if w.byDelta {
		return c.State().DeltaID == w.delta
	}
	return c.State().Version == w.version
}

// deltaAt asks the catalogue which delta led to the shard's content at version.
func (h *Host) deltaAt(key wire.ShardKey, version uint64) wanted {
	w := wanted{version: version}
	if h.o.Index == nil {
		return w
	}
	x, ok := h.o.Index(key.IndexID)
	if !ok || x.Version < version {
		return w
	}
	for i := range x.Shards {
		s := &x.Shards[i]
		if s.Number != key.Shard {
			continue
		}
		w.byDelta = len(s.Deltas) == 0 || s.Deltas[0].Version <= version
		for _, d := range s.Deltas {
			if d.Version <= version {
				w.delta = d.ID
			}
		}
	}
	return w
}

// find returns the wanted version with a reference, or nil if it is not kept.
func (r *replica) find(w wanted) *version.Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || r.current == nil {
		return nil
	}
	if w.is(r.current) && r.current.Acquire() {
		return r.current
	}
	for i := len(r.older) - 1; i >= 0; i-- {
		if c := r.older[i].Version; w.is(c) && c.Acquire() {
			return c
		}
	}
	return nil
}

// acquire returns the wanted version with a reference. If the request proves that a
// pending delta is committed, acquire installs it. It waits up to awaitVersion for a
// delta that has not arrived. Errors: wire.ErrBehind, wire.ErrGone.
func (r *replica) acquire(ctx context.Context, w wanted) (*version.Version, error) {
	if err := r.host.refusal(r.key); err != nil {
		return nil, err
	}
	deadline := time.NewTimer(awaitVersion)
	defer deadline.Stop()
	for {
		r.mu.Lock()
		changed, gone := r.changed, r.gone
		r.mu.Unlock()
		if gone {
			return nil, wire.ErrNoShard
		}
		if c := r.find(w); c != nil {
			return c, nil
		}
		if w.byDelta && r.isPending(w.delta) {
			if err := r.host.fault(r.install(w.delta), r.key); err != nil {
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
