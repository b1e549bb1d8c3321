package replica

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/await"
)

// Store is this node's store of shards, as the Follower uses it (package shard's Host).
type Store interface {
	// Publish installs pending deltas up to the catalogue's newest version for the given shards
	// of x. It returns what is missing, for each shard that cannot follow.
	Publish(x *wire.Index, shards ...uint16) ([]wire.Missing, error)
	// Receive reads a delta or a whole shard from FetchDelta or FetchCopy.
	Receive(in io.Reader) (wire.PendingRef, error)
	// Drop removes a shard with all its data.
	Drop(key wire.ShardKey) error
	// Shards lists the shards with data on this node.
	Shards() ([]wire.ShardKey, error)
	// Arrivals counts the arrivals of shard data. While it does not change, Shards lists no new
	// shard. Call it before Shards.
	Arrivals() uint64
	// DamagedShards lists the shards with damage on disk, and a channel that gets a value when
	// there are more.
	DamagedShards() (keys []wire.ShardKey, news <-chan struct{})
}

// Source reads from the shards of other nodes.
type Source interface {
	// FetchDelta opens one delta for Store.Receive. It returns wire.ErrGone when the node does
	// not have it any more.
	FetchDelta(ctx context.Context, from wire.NodeID, ref *wire.PendingRef) (io.ReadCloser, error)
	// FetchCopy opens a whole shard at the given version or a newer one.
	FetchCopy(ctx context.Context, from wire.NodeID, key wire.ShardKey, version uint64) (io.ReadCloser, error)
}

// FollowerConfig connects a Follower to its node.
type FollowerConfig struct {
	Self   wire.NodeID
	Log    coordinator.Log
	Store  Store
	Source Source
	Faults *slog.Logger
	// Copies bounds the shards fetched at once; 0 means 2.
	Copies int
}

// Follower keeps this node's replicas in the state that the catalogue demands. It installs
// published deltas, fetches missed ones, copies newly assigned shards, reports when it has
// caught up, and drops shards that it no longer holds. It is level-triggered: each pass
// compares the catalogue with the store, whatever happened before. Create it with NewFollower,
// run it with Run.
type Follower struct {
	FollowerConfig
	// last is the catalogue of the last pass. open are its indexes, by id, with replicas here
	// that are not up to date.
	last coordinator.Catalog
	open map[uint32]bool
	// caughtAt is the version at which a replica was first seen as CaughtUp.
	caughtAt map[wire.ShardKey]uint64
	// lostSince is the time since when an in-sync replica seems to need a copy.
	lostSince map[wire.ShardKey]time.Time
	// foreignSince is the time since when data of a shard is here that is not assigned to this
	// node.
	foreignSince map[wire.ShardKey]time.Time
	// swept is the state at the last sweep that found no such data.
	swept sight
	// unheard: a report in this pass found no leader. Later reports wait for the next pass,
	// instead of timing out one after the other.
	unheard bool

	mu       sync.Mutex
	fetching map[wire.ShardKey]bool
	// complained is the time at which a replica's fault was last logged.
	complained map[wire.ShardKey]time.Time
	again      chan struct{}
	Workers    sync.WaitGroup
	slots      chan struct{}
}

// NewFollower returns a Follower.
func NewFollower(cfg FollowerConfig) *Follower {
	if cfg.Copies <= 0 {
		cfg.Copies = 2
	}
	if cfg.Faults == nil {
		cfg.Faults = slog.Default()
	}
	return &Follower{
		FollowerConfig: cfg, open: map[uint32]bool{}, caughtAt: map[wire.ShardKey]uint64{},
		lostSince: map[wire.ShardKey]time.Time{}, foreignSince: map[wire.ShardKey]time.Time{}, fetching: map[wire.ShardKey]bool{},
		complained: map[wire.ShardKey]time.Time{}, again: make(chan struct{}, 1), slots: make(chan struct{}, cfg.Copies),
	}
}

const (
	// followPause is the least time between two passes. Passes may be lazy, because a replica
	// that is asked for a newer version installs it at once.
	followPause = 2 * time.Millisecond
	// followRetry is the interval of retries.
	followRetry = time.Second
	// sweepPause is the interval between sweeps.
	sweepPause = 10 * time.Second
	// complainEvery is the interval at which the same fault of a replica is logged.
	complainEvery = time.Minute
	// lostAfter is how long an in-sync replica may seem to need a copy before it gets one.
	lostAfter = 3 * time.Second
	// DropAfter gives requests on the former version time to finish.
	DropAfter = 15 * time.Second
)

// Run follows the catalogue until ctx ends and waits for its fetches.
func (f *Follower) Run(ctx context.Context) error {
	defer f.Workers.Wait()
	var lastSweep time.Time
	_, harm := f.Store.DamagedShards()
	for ctx.Err() == nil {
		changed := f.Log.Changed()
		begin := time.Now()
		retry := f.Pass(ctx)
		if time.Since(lastSweep) > sweepPause {
			lastSweep = time.Now()
			if err := f.Sweep(ctx, lastSweep); err != nil && ctx.Err() == nil {
				f.Faults.Warn("removing unused shards failed", "error", err)
			}
		}
		if await.Sleep(ctx, restAfter(time.Since(begin))) != nil {
			break
		}
		wait := sweepPause
		if retry {
			wait = followRetry
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-changed:
		case <-f.again:
		case <-harm:
		case <-t.C:
		}
		t.Stop()
	}
	return ctx.Err()
}

// restAfter returns the pause after a pass of the given duration. A pass over many indexes must
// not occupy a whole core. The pause is at most followRetry, because a pass that waited for the
// leader was long as well.
func restAfter(took time.Duration) time.Duration {
	return min(max(followPause, 10*took), followRetry)
}

// Pass brings every replica of this node up to the catalogue, as far as possible without
// waiting. It reports whether a retry is needed.
func (f *Follower) Pass(ctx context.Context) (retry bool) {
	f.unheard = false
	damaged, _ := f.Store.DamagedShards()
	c := f.Log.Catalog()
	for _, key := range damaged {
		f.open[key.IndexID] = true
	}
	due := f.due(c)
	f.last, f.open = c, map[uint32]bool{}
	var busy map[string]bool // indexes with unfinished tasks, computed when needed
	for _, x := range due {
		done := true
		published := f.publish(x)
		for i := range x.Shards {
			s := &x.Shards[i]
			mine := s.ReplicaOn(f.Self)
			if mine == nil {
				continue
			}
			if mine.State == wire.CaughtUp && busy == nil {
				busy = Busy(f.Log)
			}
			if !f.follow(ctx, x, s, mine, &published[i], busy) {
				done = false
			}
		}
		if !done {
			f.open[x.ID] = true
		}
	}
	f.forget(c)
	return len(f.open) > 0
}

// due returns the indexes that have changed since the last pass or were left open by it.
func (f *Follower) due(c coordinator.Catalog) []*wire.Index {
	d, ok := c.(coordinator.Differing)
	if !ok || f.last == nil {
		return c.Indexes()
	}
	due, ok := d.ChangedSince(f.last)
	if !ok {
		return c.Indexes()
	}
	for _, x := range due {
		delete(f.open, x.ID)
	}
	for id := range f.open {
		if x, there := c.IndexByID(id); there {
			due = append(due, x)
		}
	}
	slices.SortFunc(due, func(a, b *wire.Index) int { return cmp.Compare(a.ID, b.ID) })
	return due
}

// forget drops the state of indexes that are gone.
func (f *Follower) forget(c coordinator.Catalog) {
	for key := range f.caughtAt {
		if _, there := c.IndexByID(key.IndexID); !there {
			delete(f.caughtAt, key)
		}
	}
	for key := range f.lostSince {
		if _, there := c.IndexByID(key.IndexID); !there {
			delete(f.lostSince, key)
		}
	}
}

// Busy names the indexes on which a batch may be running.
func Busy(log coordinator.Log) map[string]bool {
	busy := map[string]bool{}
	if coordinator.Importing(log.Catalog()) == coordinator.ImportQueue {
		return busy // no batch runs, however many tasks wait
	}
	for _, t := range log.Pending() {
		for _, uid := range task.Lanes(t) {
			busy[uid] = true
		}
	}
	return busy
}

// follow does what one replica needs after it was published, and tells whether it is up to
// date with x.
func (f *Follower) follow(ctx context.Context, x *wire.Index, s *wire.Shard, mine *wire.Replica, p *publication, busy map[string]bool) bool {
	key := wire.ShardKey{IndexID: x.ID, Shard: s.Number}
	if p.fetching {
		return false
	}
	missing, err := p.missing, p.err
	if err != nil {
		if errors.Is(err, wire.ErrDamaged) {
			f.Complain(x, s, key, err)
		} else if !errors.Is(err, wire.ErrClosed) {
			f.Faults.Warn("a replica cannot publish a version", "index", x.UID, "shard", s.Number, "error", err)
		}
		return false
	}
	if len(missing) > 0 && missing[0].Damaged != "" {
		f.mend(ctx, x, s, mine, missing[0])
		return false
	}
	if len(missing) > 0 {
		if f.offPath(key, mine, &missing[0]) {
			f.fetch(ctx, x, s, missing[0])
		}
		return false
	}
	delete(f.lostSince, key)
	switch mine.State {
	case wire.InSync:
		delete(f.caughtAt, key)
		return true
	case wire.Copying:
		delete(f.caughtAt, key)
		f.report(ctx, x, s, mine, wire.CaughtUp, nil)
		return false
	}
	// CaughtUp. A batch that began before the log knew of this replica might commit without it:
	// wait for one commit, or for a moment without work.
	since, noted := f.caughtAt[key]
	if !noted {
		since = x.Version
		f.caughtAt[key] = since
	}
	if x.Version == since && busy[x.UID] {
		return false
	}
	f.report(ctx, x, s, mine, wire.InSync, []wire.Guard{{IndexID: x.ID, Version: x.Version}})
	return false
}

// mend repairs a damaged replica. First the log must learn that the replica is not in sync,
// because otherwise it would count as a copy without having data. The last in-sync replica
// stays as it is.
func (f *Follower) mend(ctx context.Context, x *wire.Index, s *wire.Shard, mine *wire.Replica, m wire.Missing) {
	switch {
	case !slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool { return r.Node != f.Self && r.State == wire.InSync }):
		f.Complain(x, s, m.Key, errors.New(m.Damaged))
	case mine.State != wire.Copying:
		delete(f.caughtAt, m.Key)
		f.report(ctx, x, s, mine, wire.Copying, []wire.Guard{{IndexID: x.ID, Version: x.Version}})
	default:
		f.fetch(ctx, x, s, m)
	}
}

// offPath tells whether a replica really lacks what Publish named. An in-sync replica may
// already have a version that this node's catalogue does not have yet; Publish then reports it
// as off the path. Therefore it is copied only when that lasts.
func (f *Follower) offPath(key wire.ShardKey, mine *wire.Replica, m *wire.Missing) bool {
	if mine.State != wire.InSync || len(m.Deltas) > 0 {
		return true
	}
	since, noted := f.lostSince[key]
	if !noted {
		since = time.Now()
		f.lostSince[key] = since
	}
	return time.Since(since) > lostAfter
}

// report proposes a state of this node's replica. A refusal is no error: the next pass sees the
// reason.
func (f *Follower) report(ctx context.Context, x *wire.Index, s *wire.Shard, mine *wire.Replica, state wire.ReplicaState, guards []wire.Guard) {
	if f.unheard {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	next := *mine
	next.State = state
	_, err := f.Log.Propose(ctx, &wire.Command{Update: &wire.Update{
		Guards:  guards,
		Changes: []wire.Change{{PutReplica: &wire.ReplicaChange{IndexID: x.ID, Shard: s.Number, Replica: next}}},
	}})
	if err != nil {
		f.unheard = true
		f.Faults.Debug("reporting the state of a replica failed", "index", x.UID, "shard", s.Number, "error", err)
	}
}

func (f *Follower) isFetching(key wire.ShardKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fetching[key]
}

// fetch starts a worker that fetches what a shard lacks.
func (f *Follower) fetch(ctx context.Context, x *wire.Index, s *wire.Shard, m wire.Missing) {
	f.mu.Lock()
	if f.fetching[m.Key] {
		f.mu.Unlock()
		return
	}
	f.fetching[m.Key] = true
	f.mu.Unlock()
	f.Workers.Add(1)
	go func() {
		defer f.Workers.Done()
		select {
		case f.slots <- struct{}{}:
			if err := f.catchUp(ctx, x, s, m); err != nil && ctx.Err() == nil {
				f.Complain(x, s, m.Key, err)
				_ = await.Sleep(ctx, followRetry) // the slot is given up either way
			}
			<-f.slots
		case <-ctx.Done():
		}
		f.mu.Lock()
		delete(f.fetching, m.Key)
		f.mu.Unlock()
		select {
		case f.again <- struct{}{}:
		default:
		}
	}()
}

// Complain logs, at most every complainEvery, that a replica does not catch up, and what to do
// if waiting cannot help.
func (f *Follower) Complain(x *wire.Index, s *wire.Shard, key wire.ShardKey, err error) {
	elsewhere := slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool { return r.Node != f.Self && r.State == wire.InSync })
	if !elsewhere && coordinator.Imports(f.Log.Catalog()) {
		return // the snapshot import has not delivered it yet
	}
	f.mu.Lock()
	now := time.Now()
	recent := now.Sub(f.complained[key]) < complainEvery
	if !recent {
		f.complained[key] = now
	}
	f.mu.Unlock()
	if recent {
		return
	}
	if elsewhere {
		f.Faults.Warn("a replica did not catch up and will try again", "index", x.UID, "shard", s.Number, "error", err)
		return
	}
	f.Faults.Error("this node's store has lost a part of a shard that no other node holds: restore the index from a snapshot or dump, or add its documents again",
		"index", x.UID, "shard", s.Number, "version", x.Version)
}

// catchUp fetches the missing deltas from the first in-sync replica that has them, else a whole
// copy.
func (f *Follower) catchUp(ctx context.Context, x *wire.Index, s *wire.Shard, m wire.Missing) error {
	err := wire.ErrUnavailable
	for _, r := range s.Replicas {
		if r.Node == f.Self || r.State != wire.InSync {
			continue
		}
		if len(m.Deltas) > 0 {
			if err = f.deltas(ctx, r.Node, m.Deltas); err == nil {
				return nil
			}
			if !errors.Is(err, wire.ErrGone) {
				continue
			}
		}
		if err = f.copy(ctx, r.Node, m.Key, x.Version); err == nil {
			return nil
		}
	}
	return err
}

func (f *Follower) deltas(ctx context.Context, from wire.NodeID, refs []wire.PendingRef) error {
	for i := range refs {
		in, err := f.Source.FetchDelta(ctx, from, &refs[i])
		if err == nil {
			err = f.receive(in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Follower) copy(ctx context.Context, from wire.NodeID, key wire.ShardKey, version uint64) error {
	in, err := f.Source.FetchCopy(ctx, from, key, version)
	if err != nil {
		return err
	}
	return f.receive(in)
}

func (f *Follower) receive(in io.ReadCloser) error {
	_, err := f.Store.Receive(in)
	return errors.Join(err, in.Close())
}
