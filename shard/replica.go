package shard

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"shoal/shard/docset"
	"shoal/shard/extract"
	"shoal/wire"
)

const (
	// retention is how long a replaced version stays available.
	retention = 5 * time.Second
	// maxVersions is how many replaced versions are kept at most while nobody
	// uses them.
	maxVersions = 256
	// awaitVersion is how long a request waits for a version that is not here
	// yet (architecture 7).
	awaitVersion = 100 * time.Millisecond
)

// replica is one shard on this node: its newest version, the ones before it that
// are still wanted, and the deltas that wait for their commit.
type replica struct {
	host *Host
	key  wire.ShardKey

	// installing serialises everything that changes the stored shard.
	installing sync.Mutex

	mu      sync.Mutex
	loaded  bool
	gone    bool // dropped
	current *core
	older   []*core // replaced, oldest first
	pending map[string]*pendingDelta
	changed chan struct{} // closed when current or pending change

	newest atomic.Uint64 // version of current
	// caching is the version whose posting sets may be kept in memory: that of
	// current, or while one is installed already the next.
	caching atomic.Uint64

	columns columnKeeper

	planMu sync.Mutex
	plan   *extract.Plan
	planOf string // settings the plan was made of
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
	c, err := r.loadCore()
	if err != nil {
		return err
	}
	if r.pending, err = r.loadPending(c); err != nil {
		c.release()
		return err
	}
	r.columns.advance(c, docset.Set{}, false, r.host.o.Now())
	r.current, r.loaded = c, true
	r.caching.Store(c.state.Version)
	r.newest.Store(c.state.Version)
	return nil
}

// publish makes c the newest version. The caller holds installing.
func (r *replica) publish(c *core) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.current; old != nil {
		old.retired = r.host.o.Now()
		r.older = append(r.older, old)
	}
	r.current = c
	r.newest.Store(c.state.Version)
	r.wake()
}

// wake tells waiters that something changed. The caller holds mu.
func (r *replica) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// trim closes iterators of the version in force that hold replaced files.
func (r *replica) trim() error {
	r.mu.Lock()
	c := r.current
	if c == nil || !c.acquire() {
		r.mu.Unlock()
		return nil
	}
	r.mu.Unlock()
	defer c.release()
	return c.trim()
}

// retire lets go of replaced versions that nobody uses any more: after the
// retention, or earlier when there are too many.
func (r *replica) retire(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	idle := 0
	for _, c := range r.older {
		if c.refs.Load() == 1 {
			idle++
		}
	}
	r.older = slices.DeleteFunc(r.older, func(c *core) bool {
		if c.refs.Load() > 1 || idle <= maxVersions && now.Sub(c.retired) < retention {
			return false
		}
		idle--
		c.release()
		return true
	})
}

func (r *replica) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = true
	for _, c := range r.older {
		c.release()
	}
	if r.current != nil {
		r.host.vectors.retire(r.current.vectors, nil)
		r.current.release()
	}
	r.older, r.current = nil, nil
	r.wake()
}

// wanted says which version a request reads: by the delta that led to it, or,
// without one, by number.
type wanted struct {
	version uint64
	delta   string
	// byDelta: delta decides, "" meaning that there was none so far.
	byDelta bool
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

// find returns the kept version that a request wants, with a reference taken.
func (r *replica) find(w wanted) *core {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || r.current == nil {
		return nil
	}
	match := func(c *core) bool {
		if w.byDelta {
			return c.state.DeltaID == w.delta
		}
		return c.state.Version == w.version
	}
	if match(r.current) && r.current.acquire() {
		return r.current
	}
	for i := len(r.older) - 1; i >= 0; i-- {
		if c := r.older[i]; match(c) && c.acquire() {
			return c
		}
	}
	return nil
}

// acquire returns the version that a request wants. It installs a pending delta
// that the request proves to be committed, waits a little for one that is on its
// way, and otherwise reports wire.ErrBehind or wire.ErrGone.
func (r *replica) acquire(ctx context.Context, w wanted) (*core, error) {
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
		if w.byDelta && r.awaits(w.delta) {
			if err := r.install(w.delta); err != nil {
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

// planFor returns the extraction plan of settings and fields; the last one is
// kept, because most batches share it.
func (r *replica) planFor(raw []byte, fields []string) (*extract.Plan, error) {
	r.planMu.Lock()
	defer r.planMu.Unlock()
	if r.plan != nil && r.planOf == string(raw) && r.plan.Of(fields) {
		return r.plan, nil
	}
	s, err := decodeSettings(raw)
	if err != nil {
		return nil, err
	}
	plan, err := extract.NewPlan(s, fields, r.host.o.Segmenters)
	if err != nil {
		return nil, err
	}
	r.plan, r.planOf = plan, string(raw)
	return plan, nil
}
