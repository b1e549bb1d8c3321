package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/docset"
	"shoal/text"
	"shoal/wire"
)

// Options configure a Host. Dir and OpenPayload are needed; what depends on
// other parts of the process is injected, so that the shards know neither
// network nor log.
type Options struct {
	// Dir is the folder of the store and its staging area.
	Dir string
	// FS is the file system, nil for the operating system's.
	FS vfs.FS
	// Node names this node in replies.
	Node wire.NodeID
	Log  *slog.Logger
	// CacheBytes is the block cache, SetBytes the cache of decoded posting lists,
	// BuildBytes what one build may hold before it spills. 0 takes a default.
	CacheBytes, SetBytes, BuildBytes int64
	// VectorBytes bounds the vectors that are kept decoded, ColumnBytes the columns
	// of frequent words.
	VectorBytes, ColumnBytes int64
	Segmenters               text.Segmenters
	// OpenPayload opens the staged content of a payload that is not inline.
	OpenPayload func(ctx context.Context, p *wire.Payload) (io.ReadCloser, error)
	// Ship sends what write writes to the Receive method of another node's Host,
	// and returns when that node has answered. Needed with more than one replica.
	Ship func(ctx context.Context, node wire.NodeID, write func(io.Writer) error) error
	// Index is this node's catalogue; nil makes the Host take version numbers at
	// their word.
	Index func(id uint32) (*wire.Index, bool)
	// Filter evaluates a filter (JSON as the client sent it) on a view.
	Filter func(v *View, filter []byte) (docset.Set, error)
	// Edit compiles a function that edits documents (JSON {function, context}).
	Edit func(function []byte) (Editor, error)
	// Search opens an executor on a view, which it takes over; List answers a
	// listing from a view that it only borrows.
	Search func(ctx context.Context, v *View, r *wire.SearchOpen) (Session, error)
	List   func(ctx context.Context, v *View, r *wire.ListRequest) (*wire.ListReply, error)
	// Heavy is told when a build begins that makes much garbage, and what it returns
	// when the build is over. May be nil.
	Heavy func() (over func())
	// Embed makes the vectors of documents; nil refuses embedders that call out.
	Embed EmbedFunc
	// Fatal is called when the store cannot go on; it should end the process.
	Fatal func(error)
	// Now is the clock, for retention only.
	Now func() time.Time

	limits limits
}

// Session is one search on one shard: see coordinator.Session.
type Session interface {
	Step(ctx context.Context, s *wire.SearchStep) (*wire.SearchReply, error)
	Close() error
}

// Host holds all shards of a node on one store. Safe for concurrent use.
type Host struct {
	o     Options
	store *store
	sets  *setCache
	// vectors keeps decoded vectors.
	vectors *vectorCache
	epochs  atomic.Uint64
	cores   atomic.Int64 // open ones
	views   atomic.Int64 // Views not yet closed

	mu       sync.Mutex
	replicas map[wire.ShardKey]*replica
	closed   bool
	inUse    sync.WaitGroup // calls in flight
	stop     chan struct{}
	done     chan struct{}
	// stopColumns ends the columnist, columnsDone tells that it has.
	stopColumns context.CancelFunc
	columnsDone chan struct{}
	// columning is held while columns are made: one block at a time.
	columning sync.Mutex
}

// Defaults of the budgets.
const (
	defaultCacheBytes  = 128 << 20
	defaultSetBytes    = 64 << 20
	defaultBuildBytes  = 96 << 20
	defaultVectorBytes = 256 << 20
	defaultColumnBytes = 512 << 20
)

// Open opens the store and removes what unfinished work left behind. Shards are
// loaded when they are first asked for.
func Open(o Options) (*Host, error) {
	o.defaults()
	s, err := openStore(&o)
	if err != nil {
		return nil, err
	}
	h := &Host{
		o: o, store: s, sets: newSetCache(o.SetBytes), vectors: newVectorCache(o.VectorBytes, o.Now), replicas: make(map[wire.ShardKey]*replica),
		stop: make(chan struct{}), done: make(chan struct{}), columnsDone: make(chan struct{}),
	}
	if err := h.sweepStaging(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	go h.janitor()
	ctx, cancel := context.WithCancel(context.Background())
	h.stopColumns = cancel
	go h.columnist(ctx)
	return h, nil
}

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
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.limits == (limits{}) {
		o.limits = defaultLimits
	}
	for _, v := range []struct {
		at    *int64
		value int64
	}{{&o.CacheBytes, defaultCacheBytes}, {&o.SetBytes, defaultSetBytes}, {&o.BuildBytes, defaultBuildBytes}, {&o.VectorBytes, defaultVectorBytes}, {&o.ColumnBytes, defaultColumnBytes}} {
		if *v.at == 0 {
			*v.at = v.value
		}
	}
}

// enter counts a call; leave must follow when it succeeds.
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

// Close waits for calls in flight, lets go of all versions and closes the store.
// Views that are still open are an error of the caller's and are reported; the
// store stays open then, because closing it under a reader would crash.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	h.mu.Unlock()
	h.inUse.Wait()
	close(h.stop)
	h.stopColumns()
	<-h.done
	<-h.columnsDone
	for _, r := range h.all() {
		r.close()
	}
	if n := h.views.Load(); n > 0 {
		return fmt.Errorf("shard: %d views were not closed", n)
	}
	return h.store.close()
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

// replica returns the shard's replica, loaded from the store when it is new.
func (h *Host) replica(key wire.ShardKey) (*replica, error) {
	h.mu.Lock()
	r := h.replicas[key]
	if r == nil {
		r = &replica{host: h, key: key, changed: make(chan struct{})}
		h.replicas[key] = r
	}
	h.mu.Unlock()
	return r, r.load()
}

// janitor lets go of old versions and old deltas; it ends with Close.
func (h *Host) janitor() {
	defer close(h.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-tick.C:
			h.tidy(h.o.Now())
		}
	}
}

// tidy does the janitor's work as of now.
func (h *Host) tidy(now time.Time) {
	for _, r := range h.all() {
		r.retire(now)
		if err := r.trim(); err != nil {
			h.o.Log.Warn("shard: closing old iterators", slog.Any("error", err))
		}
		if err := r.forget(now, h.spare(r)); err != nil {
			h.o.Log.Warn("shard: removing old deltas", slog.Any("error", err))
		}
	}
}

func (h *Host) coreClosed(err error) {
	h.cores.Add(-1)
	if err != nil {
		h.o.Log.Error("shard: closing a version", slog.Any("error", err))
	}
}

// Metrics returns the state of the store for monitoring.
func (h *Host) Metrics() string { return h.store.db.Metrics().String() }

// DiskBytes returns the bytes on disk of the whole store.
func (h *Host) DiskBytes() uint64 { return h.store.db.Metrics().DiskSpaceUsage() }
