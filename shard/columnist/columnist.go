package columnist

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"shoal/shard/rank/columns"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

// DefaultBlockMin is Options.BlockMin of a node.
const DefaultBlockMin = 512

// Options configure a Columnist. All are required.
type Options struct {
	Store *store.Store
	// Dir is the folder of the column files.
	Dir string
	// Bytes is the memory for columns: the initial size of the cache, and the memory of
	// one build.
	Bytes int64
	// Unmapped disables memory mapping of files.
	Unmapped bool
	// Warm is the number of bytes that are read ahead of searches after a start; see
	// Warm.
	Warm int64
	// BlockMin is the least number of documents of a block with columns. It changes no
	// answer; tests lower it.
	BlockMin int
	// Pacer returns a function for one background goroutine, which calls it regularly.
	// The function waits while searches run.
	Pacer func() func(context.Context) error
	Now   func() time.Time
	Log   *slog.Logger
}

// Columnist builds the columns of all shards of a node. Safe for concurrent use.
type Columnist struct {
	o      Options
	folder version.Folder
	// pieces is the cache of all columns.
	pieces *columns.PieceCache
	// making is held while columns are built, one block at a time.
	making sync.Mutex

	files construction

	mu      sync.Mutex
	keepers map[*Keeper]struct{}
	// watched are the keepers that may have work. Most small shards of a node have
	// none.
	watched map[*Keeper]struct{}
	// news signals the first watched keeper.
	news chan struct{}

	warmer warmer
}

// New returns a Columnist without shards. The caller must call Sweep, Run and Warm.
func New(o Options) *Columnist {
	pieces := columns.NewPieceCache(o.Bytes)
	pieces.Unmapped = o.Unmapped
	return &Columnist{
		o: o, folder: version.Folder{Store: o.Store, Dir: o.Dir, Owner: parseName}, pieces: pieces, files: construction{made: map[string]struct{}{}},
		keepers: map[*Keeper]struct{}{}, watched: map[*Keeper]struct{}{}, news: make(chan struct{}, 1),
		warmer: warmer{news: make(chan struct{}, 1), left: o.Warm, ended: o.Warm <= 0},
	}
}

// Keeper returns the keeper of one shard. The caller owns it until Close.
func (c *Columnist) Keeper(key wire.ShardKey) *Keeper { return &Keeper{by: c, key: key} }

// Cache is the cache through which columns are read.
func (c *Columnist) Cache() *columns.PieceCache { return c.pieces }

// Pause waits until nothing is being built, and prevents building until resume is
// called.
func (c *Columnist) Pause() (resume func()) {
	c.making.Lock()
	return c.making.Unlock
}

// watch makes the columnist check a keeper. The caller holds the keeper's mu.
func (c *Columnist) watch(k *Keeper) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepers[k], c.watched[k] = struct{}{}, struct{}{}
	select {
	case c.news <- struct{}{}:
	default: // already signaled
	}
}

func (c *Columnist) forget(k *Keeper) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.keepers, k)
	delete(c.watched, k)
}

func (c *Columnist) all() []*Keeper {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.keepers))
}

// busy returns the keepers that may have work. Keepers without columns that need none
// are checked when their shard changes.
func (c *Columnist) busy() []*Keeper {
	c.mu.Lock()
	watched := slices.Collect(maps.Keys(c.watched))
	c.mu.Unlock()
	return slices.DeleteFunc(watched, func(k *Keeper) bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.dirty || k.files != nil && len(k.files.held) > 0 {
			return false
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watched, k)
		return true
	})
}

// resting reports whether no keeper has work. news signals the next one.
func (c *Columnist) resting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.watched) == 0
}

// Run builds columns, one file at a time, until ctx ends.
func (c *Columnist) Run(ctx context.Context) {
	tick := time.NewTicker(columnTick)
	defer tick.Stop()
	for {
		if c.resting() {
			tick.Stop()
			select {
			case <-ctx.Done():
				return
			case <-c.news:
			}
			tick.Reset(columnTick)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := c.Make(ctx); err != nil && ctx.Err() == nil {
			c.o.Log.Warn("shard: columns could not be built; searches go on without them, slower", slog.Any("error", err))
			select {
			case <-ctx.Done():
				return
			case <-time.After(columnRest):
			}
		}
	}
}

// Make builds all columns that are needed.
func (c *Columnist) Make(ctx context.Context) error {
	c.making.Lock()
	defer c.making.Unlock()
	var failed error
	for _, k := range c.busy() {
		err := k.dropFaulty()
		if err == nil {
			err = c.makeAll(ctx, k)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// makeAll builds the columns that a shard needs.
func (c *Columnist) makeAll(ctx context.Context, k *Keeper) error {
	for ctx.Err() == nil {
		j, ok := c.next(k, c.o.Now(), c.documents())
		if !ok {
			return nil
		}
		if err := c.makeBlock(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// documents is the number of documents per build, which needs about as much memory as
// the cache.
func (c *Columnist) documents() int {
	const bytesPerDocument = 1 << 10
	return min(1<<16, max(1<<13, int(c.o.Bytes/bytesPerDocument)))
}

func (c *Columnist) makeBlock(ctx context.Context, j job) error {
	f, err := c.write(ctx, &j)
	err = errors.Join(err, j.release())
	taken := false
	if err == nil {
		taken, err = c.take(&j, f)
	}
	if f == nil {
		return err
	}
	c.files.end(f.name)
	err = errors.Join(err, f.release())
	if !taken {
		err = errors.Join(err, c.folder.Remove(f.name))
	}
	return err
}

// dropFaulty drops the columns of blocks that could not be read. They are built again.
func (k *Keeper) dropFaulty() error {
	k.mu.Lock()
	faults := map[uint16]error{}
	for _, b := range k.columns.All() {
		if err := b.Fault(); err != nil {
			faults[b.Block()] = err
		}
	}
	k.dirty = k.dirty || len(faults) > 0
	k.mu.Unlock()
	var err error
	for block := range faults {
		err = errors.Join(err, k.drop(block))
	}
	k.sayDamaged(faults)
	return err
}

// Figures are the size and coverage of columns.
type Figures struct {
	Files     int
	FileBytes int64
	MemBytes  int64 // outside of the cache
	Lacking   int   // documents without columns
}

// Figures sums up all shards.
func (c *Columnist) Figures() (f Figures) {
	files := map[*file]struct{}{}
	for _, k := range c.all() {
		k.mu.Lock()
		f.Lacking += k.lacking
		if k.files != nil {
			for _, h := range k.files.held {
				files[h.file] = struct{}{}
			}
		}
		k.mu.Unlock()
	}
	f.Files = len(files)
	for one := range files { // its figures never change, open or not
		f.FileBytes += one.Size()
		f.MemBytes += int64(one.MemBytes())
	}
	return f
}
