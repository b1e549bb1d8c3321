package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/attempts"
	"shoal/shard/build"
	"shoal/shard/codes"
	"shoal/shard/columnist"
	"shoal/shard/scrub"
	"shoal/shard/shipper"
	"shoal/shard/store"
	"shoal/shard/union"
	"shoal/shard/vector"
	"shoal/shard/version"
	"shoal/wire"
	"shoal/wire/await"
)

// columnFolder holds column files, codeFolder the codes of vectors.
const columnFolder, codeFolder = "columns", "codes"

// Options configure a Host. Dir and OpenPayload are required. Dependencies on other
// parts of the process are injected, so that shards know neither network nor log.
type Options struct {
	// Dir is the folder of the store and its staging area.
	Dir string
	// FS is the file system, nil for the operating system's.
	FS vfs.FS
	// Node names this node in replies.
	Node wire.NodeID
	Log  *slog.Logger
	// Budget bounds memory by use. Zero fields take defaults.
	Budget Budget
	// OpenPayload opens the staged content of a payload that is not inline.
	OpenPayload func(ctx context.Context, p *wire.Payload) (io.ReadCloser, error)
	// Ship sends the output of write to the Receive method of another node's Host and
	// returns when that node has answered. Required with more than one replica.
	Ship func(ctx context.Context, node wire.NodeID, write func(io.Writer) error) error
	// Index looks an index up in this node's catalogue. With nil, the Host identifies
	// versions by their number alone.
	Index func(id uint32) (*wire.Index, bool)
	// Indexes returns all indexes of that catalogue. May be nil.
	Indexes func() []*wire.Index
	// TaskOver reports whether this node's log has a result for a task, or had one and
	// has removed the task since. A later call of Index must return a state at least as
	// new. With nil, unpublished deltas stay until their shard has a later version.
	TaskOver func(uid uint32) (bool, error)
	// Scrub configures the search for damage in table files.
	Scrub Scrub
	// Heavy is called when a build begins that creates much garbage. The Host calls
	// over when the build ends. May be nil.
	Heavy func() (over func())
	// Cores bounds the threads of one build and of the store's compactions. 0 means
	// GOMAXPROCS.
	Cores int
	// Embed computes the vectors of documents. With nil, embedders that call a service
	// are refused.
	Embed build.EmbedFunc
	// Fatal is called when the store cannot continue. It should end the process.
	Fatal func(error)
	// Now is the clock; only retention depends on it.
	Now func() time.Time

	limits   store.Limits
	blockMin int // of columns
}

// Scrub configures the reading of table files in the background.
type Scrub struct {
	// Every is the time between two passes; 0 disables them. The first pass begins
	// after First.
	Every, First time.Duration
	// Rate bounds reading, in bytes per second. 0 means 8 MiB.
	Rate int
}

// Host holds all shards of a node on one store. Safe for concurrent use.
type Host struct {
	o       Options
	store   *store.Store
	shared  *version.Shared
	env     build.Env
	derived atomic.Uint64 // documents indexed by builds here
	shipper *shipper.Shipper
	// attempts knows which batches ended processes of this node.
	attempts *attempts.Attempts
	// damages lists what the disk lost; scrubber searches for more.
	damages  *damages
	scrubber *scrub.Scrubber

	mu       sync.Mutex
	replicas map[wire.ShardKey]*replica
	// embedding has the running builds by their deltas.
	embedding map[string]*build.Embedding
	worklist  worklist
	closed    bool
	inUse     sync.WaitGroup // calls in progress
	arrivals  atomic.Uint64  // see Arrivals; grows once the data can be read
	stop      chan struct{}
	done      chan struct{}
	// stopBackground ends the columnist and the scrubber.
	stopBackground context.CancelFunc
	background     sync.WaitGroup
	// committing is held while Committed installs deltas.
	committing sync.Mutex
	// gate makes builds and the columnist yield to searches.
	gate gate
	// unions keeps unions of shards of an index that are searched together.
	unions  *union.Keeper
	columns *columnist.Columnist
	codes   *codes.Keeper
}

// Open opens the store and removes leftovers of unfinished work. The largest shards are
// loaded in the background, others by the first request for them.
func Open(o Options) (*Host, error) {
	o.defaults()
	h := &Host{
		o: o, replicas: make(map[wire.ShardKey]*replica), embedding: make(map[string]*build.Embedding),
		shipper: shipper.New(o.Log), stop: make(chan struct{}), done: make(chan struct{}),
	}
	h.scrubber = scrub.New(scrub.Config{
		Tables: h, Every: o.Scrub.Every, First: o.Scrub.First, Rate: o.Scrub.Rate, Yield: h.gate.pacer(), Found: h.damagedFile, Passed: h.recheck, Log: o.Log,
	})
	s, err := store.Open(&store.Options{
		Dir: o.Dir, FS: o.FS, CacheBytes: o.Budget.Blocks, Log: o.Log, Fatal: o.Fatal,
		Damage: func(path string, _ error) { h.scrubber.Suspect(path) },
		Pacer:  h.gate.patience, Cores: o.Cores,
	})
	if err != nil {
		return nil, err
	}
	h.store = s
	h.shared = &version.Shared{
		Store: s, Postings: version.NewPostingCache(o.Budget.Postings), Vectors: vector.NewCache(o.Budget.Vectors, o.Now), Log: o.Log, Bounds: o.Budget.Results, Records: int(o.Budget.Records),
	}
	h.columns = columnist.New(columnist.Options{
		Store: s, Dir: filepath.Join(o.Dir, columnFolder), Bytes: o.Budget.Columns, Unmapped: o.Budget.Unmapped, Warm: o.Budget.Warm, BlockMin: o.blockMin, Pacer: h.gate.pacer, Now: o.Now, Log: o.Log,
	})
	h.codes = codes.New(codes.Options{Store: s, Vectors: h.shared.Vectors, Dir: filepath.Join(o.Dir, codeFolder), Each: h.eachNewest, Now: o.Now, Log: o.Log})
	h.shared.Vectors.ReadFrom(h.codes)
	h.shareVectors()
	h.unions = union.NewKeeper(h.shared, h.newest, o.Now)
	h.env = build.Env{
		Derived: &h.derived,
		Store:   s, Limits: o.limits, Bytes: o.Budget.Build,
		OpenPayload: o.OpenPayload, Embed: o.Embed, Heavy: o.Heavy, Pacer: h.gate.pacer, Workers: o.Cores,
	}
	if h.attempts, err = attempts.Open(o.FS, o.FS.PathJoin(o.Dir, "attempts")); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if h.damages, err = openDamages(o.FS, o.FS.PathJoin(o.Dir, damageFolder), o.Now()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	columnFiles, columnErr := h.columns.Sweep()
	codeFiles, codeErr := h.codes.Sweep()
	if err := errors.Join(h.sweepStaging(), columnErr, codeErr); err != nil {
		if !store.Damaged(err) {
			return nil, errors.Join(err, s.Close())
		}
		o.Log.Warn("shard: unused files may remain, because the store is damaged", slog.Any("error", err))
	}
	go h.janitor()
	ctx, cancel := context.WithCancel(context.Background())
	h.stopBackground = cancel
	h.background.Go(func() { h.loadEarly(ctx, largest(columnFiles, codeFiles)) })
	h.background.Go(func() { h.columns.Run(ctx) })
	h.background.Go(func() { h.columns.Warm(ctx) })
	h.background.Go(func() { h.codes.Run(ctx) })
	h.background.Go(func() { h.scrubber.Run(ctx) })
	return h, nil
}

// TableFiles lists the table files of the store; see store.Store.
func (h *Host) TableFiles() ([]store.TableFile, error) { return h.store.TableFiles() }

// CheckTable reads one of them; see store.Store.
func (h *Host) CheckTable(path string, pace store.Pace) error { return h.store.CheckTable(path, pace) }

func (o *Options) defaults() {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Fatal == nil {
		o.Fatal = func(err error) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if o.Cores == 0 {
		o.Cores = runtime.GOMAXPROCS(0)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Scrub.Rate == 0 {
		o.Scrub.Rate = 8 << 20
	}
	if o.limits == (store.Limits{}) {
		o.limits = store.DefaultLimits
	}
	if o.blockMin == 0 {
		o.blockMin = columnist.DefaultBlockMin
	}
	o.Budget.fill()
}

// enter counts a call in progress. After a nil error the caller must call leave.
func (h *Host) enter() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return wire.ErrClosed
	}
	h.inUse.Add(1)
	return nil
}

func (h *Host) leave() { h.inUse.Done() }

// Close waits for calls in progress, releases all versions and closes the store. Views
// that are still open are a fault of the caller: Close returns an error and leaves the
// store open, because closing it under a reader would crash.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	h.mu.Unlock()
	h.inUse.Wait()
	h.shipper.Close()
	close(h.stop)
	h.stopBackground()
	<-h.done
	h.background.Wait()
	h.unions.Close()
	for _, r := range h.all() {
		r.close()
	}
	if n := h.shared.Views.Load(); n > 0 {
		return fmt.Errorf("shard: %d views were not closed", n)
	}
	return h.store.Close()
}

func (h *Host) all() []*replica {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*replica, 0, len(h.replicas))
	for _, r := range h.replicas {
		out = append(out, r)
	}
	return out
}

// eachNewest calls visit with the newest version of every shard that is loaded.
func (h *Host) eachNewest(visit func(*version.Version)) {
	for _, r := range h.all() {
		r.mu.Lock()
		v := r.current
		held := v != nil && v.Acquire()
		r.mu.Unlock()
		if held {
			visit(v)
			v.Release()
		}
	}
}

// replica returns the shard's replica and loads it from the store on first use.
func (h *Host) replica(key wire.ShardKey) (*replica, error) {
	h.mu.Lock()
	r := h.replicaOf(key)
	h.mu.Unlock()
	return r, h.fault(r.load(), key)
}

// replicaOf returns the replica of a shard, a new one at first. The caller holds mu.
func (h *Host) replicaOf(key wire.ShardKey) *replica {
	r := h.replicas[key]
	if r == nil {
		r = h.newReplica(key)
		h.replicas[key] = r
	}
	return r
}

// janitor releases old versions and removes old deltas until Close.
func (h *Host) janitor() {
	defer close(h.done)
	tick := time.NewTimer(await.Until(time.Second))
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-tick.C:
			tick.Reset(await.Until(time.Second))
			h.tidy(h.o.Now())
		}
	}
}

// shareVectors lends memory that vectors do not use to columns and posting lists.
func (h *Host) shareVectors() {
	held := h.shared.Vectors.Held()
	h.columns.Cache().Resize(h.o.Budget.columns(held))
	h.shared.Postings.Resize(h.o.Budget.postings(held))
}

// tidy does the janitor's work as of now.
func (h *Host) tidy(now time.Time) {
	h.unions.Tidy()
	h.shareVectors()
	if err := h.store.TrimIterators(); err != nil {
		h.o.Log.Warn("shard: old iterators could not be closed", slog.Any("error", err))
	}
	for _, r := range h.worklist.list() {
		r.retire(now)
		if err := r.forget(now, h.heldByAll(r)); err != nil {
			h.o.Log.Warn("shard: old deltas could not be removed", slog.Any("error", err))
		}
		if err := r.dropLost(); err != nil {
			h.o.Log.Warn("shard: deltas of failed batches could not be removed", slog.Any("error", err))
		}
		r.leaveWorklist()
	}
}

// Metrics returns pebble's description of its state.
func (h *Host) Metrics() string { return h.store.DB.Metrics().String() }

// DiskBytes returns the size of the whole store on disk.
func (h *Host) DiskBytes() uint64 { return h.store.DB.Metrics().DiskSpaceUsage() }
