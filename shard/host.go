package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"shoal/shard/attempts"
	"shoal/shard/build"
	"shoal/shard/codes"
	"shoal/shard/columnist"
	"shoal/shard/damage"
	"shoal/shard/gate"
	"shoal/shard/pending"
	"shoal/shard/posting"
	"shoal/shard/scrub"
	"shoal/shard/shipper"
	"shoal/shard/store"
	"shoal/shard/union"
	"shoal/shard/vector"
	"shoal/shard/version"
	"shoal/wire"
)

// columnFolder holds column files, codeFolder the codes of vectors.
const columnFolder, codeFolder = "columns", "codes"

// Host holds all shards of a node on one store. What it does for others is in the parts
// that it embeds: callers with one concern take that part. Safe for concurrent use.
type Host struct {
	*resources
	*Searches
	*Builds
	*Copies
	*Holdings
	*Disk

	calls    calls
	replicas *replicas
	repair   *repair
	memory   *memory
	janitor  *janitor
	// gate makes builds and the columnist yield to searches.
	gate gate.Gate
	// stopBackground ends the columnist and the scrubber.
	stopBackground context.CancelFunc
	background     sync.WaitGroup
}

// Open opens the store and removes leftovers of unfinished work. The largest shards are
// loaded in the background, others by the first request for them.
func Open(o Options) (*Host, error) {
	o.defaults()
	h := newHost(&o)
	s, err := store.Open(&store.Options{
		Dir: o.Dir, FS: o.FS, CacheBytes: o.Budget.Blocks, Log: o.Log, Fatal: o.Fatal,
		Damage: func(path string, _ error) { h.repair.scrubber.Suspect(path) },
		Pacer:  h.gate.Patience, Cores: o.Cores,
	})
	if err != nil {
		return nil, err
	}
	h.use(s, &o)
	if h.attempts, err = attempts.Open(o.FS, o.FS.PathJoin(o.Dir, "attempts")); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if h.faults.Register, err = damage.Open(o.FS, o.Dir, o.Now()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	columnFiles, columnErr := h.columnist.Sweep()
	codeFiles, codeErr := h.codes.Sweep()
	if err := errors.Join(h.table.Sweep(), columnErr, codeErr); err != nil {
		if !store.Damaged(err) {
			return nil, errors.Join(err, s.Close())
		}
		o.Log.Warn("shard: unused files may remain, because the store is damaged", slog.Any("error", err))
	}
	go h.janitor.run()
	ctx, cancel := context.WithCancel(context.Background())
	h.stopBackground = cancel
	early := &loader{replicas: h.replicas, gate: &h.gate, cores: o.Cores}
	h.background.Go(func() { early.run(ctx, largest(columnFiles, codeFiles)) })
	h.background.Go(func() { h.columnist.Run(ctx) })
	h.background.Go(func() { h.columnist.Warm(ctx) })
	h.background.Go(func() { h.codes.Run(ctx) })
	h.background.Go(func() { h.repair.scrubber.Run(ctx) })
	return h, nil
}

// newHost returns a Host without a store.
func newHost(o *Options) *Host {
	c := catalogue{node: o.Node, find: o.Index, list: o.Indexes, taskOver: o.TaskOver}
	on := &resources{limits: o.limits, catalogue: c, ended: make(chan struct{}), now: o.Now, log: o.Log}
	on.faults = &damage.Faults{Elsewhere: on.catalogue.elsewhere, Index: on.catalogue.name, Now: o.Now, Log: o.Log}
	all := &replicas{resources: on, all: make(map[wire.ShardKey]*replica)}
	h := &Host{resources: on, replicas: all}
	h.repair = &repair{resources: on, replicas: all, footprint: footprint{all}, dir: o.Dir}
	h.repair.scrubber = scrub.New(scrub.Config{
		Every: o.Scrub.Every, First: o.Scrub.First, Rate: o.Scrub.Rate, Yield: h.gate.Pacer(), Found: h.repair.damagedFile, Passed: h.repair.recheck, Log: o.Log,
	})
	h.memory = &memory{resources: on, replicas: all, budget: o.Budget}
	h.janitor = &janitor{resources: on, memory: h.memory, done: make(chan struct{})}
	h.Searches = &Searches{resources: on, calls: &h.calls, replicas: all, gate: &h.gate}
	h.Copies = &Copies{resources: on, calls: &h.calls, replicas: all, searches: h.Searches, repair: h.repair}
	h.Holdings = &Holdings{resources: on, calls: &h.calls, replicas: all, repair: h.repair}
	h.Disk = &Disk{resources: on, calls: &h.calls}
	h.Builds = &Builds{resources: on, calls: &h.calls, replicas: all, shipper: shipper.New(o.Log), send: o.Ship, embedding: make(map[string]*build.Embedding)}
	return h
}

// use completes the Host with its store.
func (h *Host) use(s *store.Store, o *Options) {
	h.store, h.table, h.repair.scrubber.Tables = s, pending.Table{Store: s}, s
	h.shared = &version.Shared{
		Store: s, Postings: posting.NewCache(o.Budget.Postings), Vectors: vector.NewCache(o.Budget.Vectors, o.Now), Log: o.Log, Bounds: o.Budget.Results, Records: int(o.Budget.Records),
	}
	h.columnist = columnist.New(columnist.Options{
		Store: s, Dir: filepath.Join(o.Dir, columnFolder), Bytes: o.Budget.Columns, Unmapped: o.Budget.Unmapped, Warm: o.Budget.Warm, BlockMin: o.blockMin, Pacer: h.gate.Pacer, Now: o.Now, Log: o.Log,
	})
	h.codes = codes.New(codes.Options{Store: s, Vectors: h.shared.Vectors, Dir: filepath.Join(o.Dir, codeFolder), Each: h.replicas.eachNewest, Now: o.Now, Log: o.Log})
	h.shared.Vectors.ReadFrom(h.codes)
	h.memory.share()
	h.unions = union.NewKeeper(h.shared, h.replicas.newest, o.Now)
	h.env = build.Env{
		Derived: &h.derived,
		Store:   s, Limits: o.limits, Bytes: o.Budget.Build,
		OpenPayload: o.OpenPayload, Embed: o.Embed, Heavy: o.Heavy, Pacer: h.gate.Pacer, Workers: o.Cores,
	}
}

// Close waits for calls in progress, releases all versions and closes the store. Views
// that are still open are a fault of the caller: Close returns an error and leaves the
// store open, because closing it under a reader would crash.
func (h *Host) Close() error {
	if !h.calls.close() {
		return nil
	}
	h.shipper.Close()
	close(h.ended)
	h.stopBackground()
	<-h.janitor.done
	h.background.Wait()
	h.unions.Close()
	for _, r := range h.replicas.listed() {
		r.close()
	}
	if n := h.shared.Views.Load(); n > 0 {
		return fmt.Errorf("shard: %d views were not closed", n)
	}
	return h.store.Close()
}

// Damaged lists the shards that this node's disk has lost data of, in order.
func (h *Host) Damaged() []damage.Damage { return h.faults.All() }

// Uses lists the memory of the shards by purpose. A limit of 0 means that we set none:
// the use grows with the documents.
func (h *Host) Uses() []Use { return h.memory.uses() }

// calls counts the calls in progress, for which Close waits. Safe for concurrent use;
// the zero value is ready.
type calls struct {
	mu     sync.Mutex
	closed bool
	inUse  sync.WaitGroup
}

// enter counts a call in progress. After a nil error the caller must call leave.
func (c *calls) enter() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return wire.ErrClosed
	}
	c.inUse.Add(1)
	return nil
}

func (c *calls) leave() { c.inUse.Done() }

// close refuses further calls and waits for those in progress. It returns false if it
// was called before, at once.
func (c *calls) close() bool {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return false
	}
	c.closed = true
	c.mu.Unlock()
	c.inUse.Wait()
	return true
}
