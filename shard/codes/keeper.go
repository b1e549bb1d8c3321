package codes

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
	"shoal/shard/vector"
	"shoal/shard/version"
	"shoal/wire"
	"shoal/wire/await"
)

// Options configure a Keeper. All are required.
type Options struct {
	Store   *store.Store
	Vectors *vector.Cache
	// Dir is the folder of the files.
	Dir string
	// Each calls visit with the newest version of every loaded shard.
	Each func(visit func(*version.Version))
	Now  func() time.Time
	Log  *slog.Logger
}

const (
	// every is the interval between searches for blocks to write.
	every = 5 * time.Second
	// settled is how long a block must be unchanged before it is written. A block that
	// changes constantly would otherwise be written constantly.
	settled = 20 * time.Second
	// closing is how long a node that ends goes on writing blocks that have not settled.
	closing = 2 * time.Second
	// retry is the pause after a failed write.
	retry = time.Minute
)

// Keeper manages the files of all shards of a node. Safe for concurrent use, except
// that Load of a shard must precede visits of its versions.
type Keeper struct {
	o      Options
	folder version.Folder

	// saving is held while files are written or removed. Holders of a shard's lock must
	// not wait for it.
	saving sync.Mutex
	failed time.Time // time of the last failure

	mu     sync.Mutex
	shards map[wire.ShardKey]*shard
}

// shard is the keeper's state of one shard.
type shard struct {
	list *list // as written
	// since is when each block was first seen in its present state, by the key of
	// Table.Unfiled.
	since map[any]time.Time
}

// New returns a keeper. Call Sweep first.
func New(o Options) *Keeper {
	return &Keeper{
		o: o, folder: version.Folder{Store: o.Store, Dir: o.Dir, Owner: keyOf}, shards: map[wire.ShardKey]*shard{},
	}
}

// Run saves periodically until ctx ends, then once more, also blocks that have not settled,
// for 2 s, so that a restart finds files.
func (k *Keeper) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			last, stop := context.WithTimeout(context.WithoutCancel(ctx), closing)
			defer stop()
			k.save(last, 0)
			return
		case <-time.After(await.Until(every)):
			k.Save(ctx)
		}
	}
}

// Save writes the blocks that have settled, unless ctx has ended, and the lists that
// changed.
func (k *Keeper) Save(ctx context.Context) { k.save(ctx, settled) }

// save writes the blocks that have not changed for so long.
func (k *Keeper) save(ctx context.Context, unchanged time.Duration) {
	k.saving.Lock()
	defer k.saving.Unlock()
	now := k.o.Now()
	if now.Sub(k.failed) < retry || k.o.Vectors.Idle() && k.known() == 0 {
		return
	}
	k.o.Each(func(c *version.Version) {
		if err := k.saveShard(ctx, c, now, unchanged); err != nil {
			k.failed = now
			k.o.Log.Warn("shard: codes of vectors could not be written; retrying in a minute",
				slog.Any("shard", c.Keys().Key), slog.String("error", store.Reason(err)))
		}
	})
}

// known returns the number of shards that may have files.
func (k *Keeper) known() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.shards)
}

func (k *Keeper) shard(key wire.ShardKey) *shard {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.shards[key]
	if s == nil {
		s = &shard{list: &list{}}
		k.shards[key] = s
	}
	return s
}

func (k *Keeper) saveShard(ctx context.Context, c *version.Version, now time.Time, unchanged time.Duration) error {
	key, table, next := c.Keys().Key, c.VectorTable(), listOf(c)
	s := k.shard(key)
	since := map[any]time.Time{}
	var failure error
	for n := range table.Len() {
		if block, rows := table.Unfiled(n, c); rows != nil {
			first, seen := s.since[block]
			if !seen {
				first = now
			}
			since[block] = first
			if now.Sub(first) >= unchanged && ctx.Err() == nil && failure == nil {
				failure = k.writeBlock(table, n, rows, sheetName(key, next, n))
			}
		}
		if file := table.File(n); file != "" {
			next.Files = append(next.Files, entry{n, file})
		}
	}
	s.since = since
	if failure != nil || next.equal(s.list) || len(next.Files) == 0 && len(s.list.Files) == 0 {
		return failure
	}
	data, err := next.encode()
	if err == nil {
		err = k.write(listName(key), data)
	}
	if err != nil {
		return err
	}
	s.list = next
	return k.sweep(key, next)
}

// writeBlock writes the rows of a block, if there are any.
func (k *Keeper) writeBlock(table *vector.Table, number int, make func() (*vector.Rows, error), name string) error {
	rows, err := make()
	if rows == nil || err != nil {
		return err
	}
	if err := k.write(name, rows.AppendSheet(nil, name)); err != nil {
		return err
	}
	table.Filed(number, name)
	return nil
}

// write writes a file under a temporary name and renames it. It does not sync: after a
// power failure the checksum reveals a damaged file.
func (k *Keeper) write(name string, data []byte) error {
	fs, unfinished := k.o.Store.FS, k.folder.File(name)+version.Unfinished
	f, err := fs.Create(unfinished, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = fs.Rename(unfinished, k.folder.File(name))
	}
	if err != nil {
		return errors.Join(err, k.o.Store.RemoveStaged(unfinished))
	}
	return nil
}

// Open opens a file; see vector.Files.
func (k *Keeper) Open(name string) (vector.File, error) {
	return k.o.Store.FS.Open(k.folder.File(name))
}

// read reads a whole file.
func (k *Keeper) read(name string) (data []byte, err error) {
	f, err := k.o.Store.FS.Open(k.folder.File(name))
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// Damaged logs an unusable file; see vector.Files.
func (k *Keeper) Damaged(name string, err error) {
	k.o.Log.Warn("shard: unreadable codes of vectors are computed again; searches by vector are slower until then",
		slog.String("file", name), slog.String("error", err.Error()))
}

// Load tells the first version of a shard after a start which files apply to it.
func (k *Keeper) Load(c *version.Version) {
	key := c.Keys().Key
	data, err := k.read(listName(key))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var l *list
	if err == nil {
		l, err = decodeList(data)
	}
	if err != nil {
		k.Damaged(listName(key), err)
		return
	}
	k.mu.Lock()
	k.shards[key] = &shard{list: l}
	k.mu.Unlock()
	if !l.holdsFor(listOf(c)) {
		return // the next list omits these files, and they are removed
	}
	for _, e := range l.Files {
		c.VectorTable().Filed(e.Block, e.Name)
	}
}

// Drop removes all files of a shard.
func (k *Keeper) Drop(key wire.ShardKey) error {
	k.saving.Lock()
	defer k.saving.Unlock()
	k.mu.Lock()
	delete(k.shards, key)
	k.mu.Unlock()
	return k.sweep(key, nil)
}

// sweep removes the files of a shard that are not in a list; with nil it removes the
// list, too. The caller holds saving.
func (k *Keeper) sweep(key wire.ShardKey, l *list) error {
	names, err := k.folder.Of(key)
	for _, name := range names {
		if l == nil || !l.has(name) && name != listName(key) {
			err = errors.Join(err, k.folder.Remove(name))
		}
	}
	return err
}

// Sweep creates the folder and removes leftovers of unfinished work and dropped shards. It
// returns the number of files of each shard.
func (k *Keeper) Sweep() (files map[wire.ShardKey]int, err error) {
	return k.folder.Sweep(func(string) bool { return false })
}
