package columnist

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

// Keeper keeps the columns of a shard (columns.Columns) from version to version.
// Changed documents are not covered until the columnist builds columns of them. Columns
// change no answer, so nothing waits for them. Safe for concurrent use, except that
// calls of Advance must be sequential.
type Keeper struct {
	by  *Columnist
	key wire.ShardKey

	mu      sync.Mutex
	columns *columns.Columns
	files   *group
	core    *version.Version // the newest version; not counted
	// epoch counts resets. since are the documents changed during a build.
	epoch int
	since docset.Set
	// searched means that a version before core was searched since columns were built.
	searched bool
	dirty    bool
	changed  time.Time
	built    time.Time
	// lacking is the number of documents without columns at the last check.
	lacking int
}

// Advance gives the next version its columns. changed are the documents that differ
// from the previous version.
func (k *Keeper) Advance(c *version.Version, changed docset.Set) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.by.watch(k)
	k.columns, k.since = k.columns.Without(changed), k.since.Or(changed)
	k.searched = k.wanted()
	k.core, k.dirty, k.changed = c, true, k.by.o.Now()
	k.give()
}

// give gives the newest version the columns. The caller holds mu.
func (k *Keeper) give() {
	if k.files != nil {
		k.files.refs.Add(1)
	}
	k.core.SetColumns(k.columns, k.files.release)
}

// Reset drops all columns: none applies to the version c, which the store now holds.
func (k *Keeper) Reset(c *version.Version) error {
	b := k.by.o.Store.DB.NewBatch()
	err := c.Keys().ForgetColumns(b, c.State().Version)
	if err == nil {
		err = b.Commit(pebble.NoSync)
	}
	if err = errors.Join(err, b.Close()); err != nil {
		return err
	}
	k.mu.Lock()
	old := k.files
	k.columns, k.files, k.since = nil, nil, docset.Set{}
	k.epoch++
	k.mu.Unlock()
	return errors.Join(k.by.SweepShard(k.key), old.release())
}

// begin initializes the table of an empty shard without deleting a range. Every reader
// of the store merges all deleted ranges in memtables again, and a node that creates
// many indexes would have many of them.
func (k *Keeper) begin(c *version.Version) error {
	b := k.by.o.Store.DB.NewBatch()
	err := c.Keys().MarkColumns(b, c.State().Version)
	if err == nil {
		err = b.Commit(pebble.NoSync)
	}
	return errors.Join(err, b.Close(), k.by.SweepShard(k.key))
}

// Load finds the columns that still apply to the version c, the first one after the
// start. Unusable files are removed, and built again later.
func (k *Keeper) Load(c *version.Version) error {
	log, err := readLog(c)
	switch {
	case err != nil:
		return err
	case log.empty:
		return k.begin(c)
	case !log.whole:
		return k.Reset(c)
	}
	forgotten := map[uint16]bool{} // blocks with files of former programs
	for _, n := range log.notes {
		if former(n.file) {
			forgotten[n.block] = true
		}
	}
	log.notes = slices.DeleteFunc(log.notes, func(n note) bool { return forgotten[n.block] })
	for block := range forgotten {
		err = errors.Join(err, k.unregister(block))
	}
	opened, damaged := k.by.openAll(log.notes)
	var held []holding
	var kept []note
	var columns *columns.Columns
	for _, n := range log.notes {
		f := opened[n.file]
		switch {
		case n.file == "":
			columns = columns.Without(setOfBlock(n.block, n.changed))
		case f != nil && damaged[n.block] == nil:
			own := f.Docs().And(c.Live().Block(n.block))
			columns = columns.With(f.BlockColumns, own, own)
			held, kept = append(held, holding{f, n.version}), append(kept, n)
		}
	}
	k.columns, k.files = columns, newGroup(held)
	for _, f := range opened {
		err = errors.Join(err, f.release())
	}
	for block := range damaged {
		err = errors.Join(err, k.unregister(block))
	}
	k.sayDamaged(damaged)
	words := c.Keys().Prefix(nil, store.TableWord)
	k.by.warmer.add(held, store.KeyRange{Lo: words, Hi: c.Keys().Prefix(nil, store.TableWord+1)})
	return errors.Join(err, k.by.sweepShard(k.key, kept))
}

func setOfBlock(block uint16, docs docset.Container) docset.Set {
	var one docset.Assembler
	one.Append(block, docs)
	return one.Set()
}

// take installs built columns. ok is false if they no longer apply.
func (c *Columnist) take(j *job, f *file) (ok bool, err error) {
	k := j.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.epoch != j.epoch {
		return false, nil
	}
	columns := k.columns.With(f.BlockColumns, j.docs, j.docs.AndNot(k.since.Block(j.block)))
	held, gone := k.needed(columns)
	made := holding{f, j.version}
	if err := k.register(j, made, gone); err != nil {
		return false, err
	}
	k.built = c.o.Now()
	return true, errors.Join(k.swap(columns, append(held, made)), c.discard(names(gone)...))
}

func names(files []holding) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.name
	}
	return out
}

// sayDamaged logs that the columns of some blocks are built again.
func (k *Keeper) sayDamaged(blocks map[uint16]error) {
	for _, why := range blocks { // one of them is enough
		k.by.o.Log.Warn("shard: unreadable columns are built again; searches are slower until then",
			slog.String("shard", fmt.Sprint(k.key)), slog.Int("blocks", len(blocks)), slog.String("error", why.Error()))
		return
	}
}

// drop drops the columns of a block that could not be read.
func (k *Keeper) drop(block uint16) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	columns := k.columns.WithoutBlock(block)
	held, gone := k.needed(columns)
	if err := k.unregister(block); err != nil {
		return err
	}
	return errors.Join(k.swap(columns, held), k.by.discard(names(gone)...))
}

// needed splits the files into those used by cols and the others.
func (k *Keeper) needed(cols *columns.Columns) (held, gone []holding) {
	if k.files == nil {
		return nil, nil
	}
	used := map[*columns.BlockColumns]bool{}
	for _, b := range cols.All() {
		used[b] = true
	}
	for _, h := range k.files.held {
		if used[h.BlockColumns] {
			held = append(held, h)
		} else {
			gone = append(gone, h)
		}
	}
	return held, gone
}

// swap installs columns. The caller holds mu.
func (k *Keeper) swap(columns *columns.Columns, held []holding) error {
	old := k.files
	k.columns, k.files = columns, newGroup(held)
	k.give()
	return old.release()
}

// Close releases all files. A keeper without files may be closed, too.
func (k *Keeper) Close() error {
	k.by.forget(k)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.epoch++
	old := k.files
	k.columns, k.files, k.core, k.dirty = nil, nil, nil, false
	return old.release()
}

// wanted reports whether some version was searched since columns were built. The caller
// holds mu.
func (k *Keeper) wanted() bool {
	return k.searched || k.core != nil && k.core.Searched()
}
