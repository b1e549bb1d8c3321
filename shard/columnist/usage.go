package columnist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// usageFile has the pieces that searches used, for the next start. usageEvery is the
	// interval at which it is written if these have changed.
	usageFile  = "used.json"
	usageEvery = time.Minute
	// maxUsed bounds the bytes of the recorded pieces, and so their number, besides the
	// room for reading ahead. maxUsageBytes bounds the file when it is read.
	maxUsed, maxUsageBytes = 1 << 30, 64 << 20
)

// usage records which pieces of column files searches use. After a start these are read
// before all others. It is only advice: if it is lost or damaged, the first searches are
// slower. Safe for concurrent use.
type usage struct {
	mu sync.Mutex
	// files have, by name, the last period in which each piece was used. Pieces of the
	// run before are from period 0.
	files   map[string]map[uint32]uint32
	period  uint32
	changed bool // since it was written
	failed  bool // the last write failed
}

// savedUsage is the content of the file: the pieces by file, ascending.
type savedUsage struct {
	Files map[string][]uint32 `json:"files"`
}

// loadUsage reads the file of the run before.
func (c *Columnist) loadUsage() {
	saved, err := c.readUsage()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.o.Log.Warn("shard: what searches used before the restart is unknown; the first searches are slower", slog.Any("error", err))
	}
	u := &c.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	u.files = make(map[string]map[uint32]uint32, len(saved.Files))
	for name, pieces := range saved.Files {
		of := make(map[uint32]uint32, len(pieces))
		for _, i := range pieces {
			of[i] = 0
		}
		u.files[name] = of
	}
}

func (c *Columnist) readUsage() (saved savedUsage, err error) {
	f, err := c.o.Store.FS.Open(c.path(usageFile))
	if err != nil {
		return saved, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxUsageBytes))
	if err = errors.Join(err, f.Close()); err != nil {
		return saved, err
	}
	return saved, json.Unmarshal(raw, &saved)
}

// used returns the pieces of a file that searches used, ascending.
func (u *usage) used(name string) []uint32 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Sorted(maps.Keys(u.files[name]))
}

// Remember records until ctx ends what searches use, and once more then. Call it once.
func (c *Columnist) Remember(ctx context.Context) {
	if c.o.Warm <= 0 {
		return
	}
	tick := time.NewTicker(usageEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		err := c.collectUsage()
		if err == nil {
			err = c.saveUsage()
		}
		c.reportUsage(err)
	}
}

// collectUsage records what was used since the last call.
func (c *Columnist) collectUsage() error {
	names, err := c.o.Store.FS.List(c.o.Dir)
	if err != nil {
		return err
	}
	u := &c.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	u.period++
	sizes := map[string]func(uint32) int64{}
	for _, k := range c.all() {
		k.mu.Lock()
		if k.files != nil {
			for _, h := range k.files.held {
				sizes[h.name] = h.PieceSize
				u.note(h.name, h.TakeUsed())
			}
		}
		k.mu.Unlock()
	}
	for name := range u.files {
		if !slices.Contains(names, name) {
			delete(u.files, name)
			u.changed = true
		}
	}
	u.trim(min(c.o.Warm, maxUsed), sizes)
	return nil
}

// note records the pieces that were used in this period. The caller holds mu.
func (u *usage) note(name string, pieces []uint32) {
	of := u.files[name]
	if of == nil && len(pieces) > 0 {
		of = map[uint32]uint32{}
		u.files[name] = of
	}
	for _, i := range pieces {
		if _, known := of[i]; !known {
			u.changed = true
		}
		of[i] = u.period
	}
}

// unknownPiece is the assumed size of a piece of a file that is not open.
const unknownPiece = 4 << 10

// trim forgets the pieces that were not used for longest, until the others have at most
// room bytes. sizes are those of the pieces of open files. The caller holds mu.
func (u *usage) trim(room int64, sizes map[string]func(uint32) int64) {
	type one struct {
		period, piece uint32
		name          string
		size          int64
	}
	var all []one
	total := int64(0)
	for name, of := range u.files {
		for i, period := range of {
			size := int64(unknownPiece)
			if sizeOf := sizes[name]; sizeOf != nil {
				size = sizeOf(i)
			}
			all, total = append(all, one{period, i, name, size}), total+size
		}
	}
	if total <= room {
		return
	}
	u.changed = true
	slices.SortFunc(all, func(a, b one) int {
		return cmp.Or(cmp.Compare(a.period, b.period), cmp.Compare(a.name, b.name), cmp.Compare(a.piece, b.piece))
	})
	for _, p := range all {
		if total <= room {
			return
		}
		delete(u.files[p.name], p.piece)
		total -= p.size
	}
}

// saveUsage writes the file if its content has changed.
func (c *Columnist) saveUsage() error {
	u := &c.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.changed {
		return nil
	}
	err := c.writeUsage()
	u.changed = err != nil
	return err
}

// reportUsage logs the first of several failures.
func (c *Columnist) reportUsage(err error) {
	u := &c.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil && !u.failed {
		c.o.Log.Warn("shard: what searches use could not be written; the first searches after a restart are slower", slog.Any("error", err))
	}
	u.failed = err != nil
}

// writeUsage replaces the file. The caller holds mu of the usage.
func (c *Columnist) writeUsage() error {
	saved := savedUsage{Files: make(map[string][]uint32, len(c.usage.files))}
	for name, of := range c.usage.files {
		if len(of) > 0 {
			saved.Files[name] = slices.Sorted(maps.Keys(of))
		}
	}
	raw, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	fs, path := c.o.Store.FS, c.path(usageFile)
	f, err := fs.Create(path+unfinishedSuffix, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Close()); err == nil {
		return fs.Rename(path+unfinishedSuffix, path)
	}
	return errors.Join(err, c.o.Store.RemoveStaged(path+unfinishedSuffix))
}
