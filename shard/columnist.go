package shard

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"shoal/shard/docset"
	"shoal/shard/version"
)

// columnBlockMin is the number of documents from which on a block gets columns. It
// changes no answer; tests lower it.
var columnBlockMin = 512

const (
	// columnSlack is the part of a block, as a divisor, that its columns may lack,
	// columnSlackMax the number of documents, and columnSlackAll that of all blocks.
	columnSlack, columnSlackMax, columnSlackAll = 16, 2048, 8192
	// columnFresh is the number of documents without columns from which on a shard that
	// is searched does not wait until it is left alone.
	columnFresh = 1024
	// columnImported is the number of documents without columns from which on a block that
	// is not the last one waits for nothing.
	columnImported = 4096
	// columnTick is how often the columnist looks around. It waits until a shard was
	// left alone for columnQuiet; one that is searched while it is written gets columns
	// every columnPatience, one that is not searched when it was left alone as long.
	columnTick, columnQuiet, columnPatience = 100 * time.Millisecond, 500 * time.Millisecond, 10 * time.Second
	// maxSegments is the number of files of a block; with more, small ones become one.
	maxSegments = 8
	// columnRest is how long nothing is made after something could not be written.
	columnRest = time.Minute
)

// columnJob are documents of a block whose columns are to be made. all: they are all
// that are not covered, and maybe some more.
type columnJob struct {
	core  *version.Version
	block uint16
	docs  docset.Container
	all   bool
	epoch int
}

// next returns the documents that need columns most urgently, at most limit, with a
// reference to the version that is to be read.
func (k *columnKeeper) next(now time.Time, limit int) (job columnJob, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.dirty {
		return job, false
	}
	quiet := now.Sub(k.changed)
	patient := quiet >= columnQuiet || now.Sub(k.built) >= columnPatience
	covered, last := k.columns.Covered(), uint16(0)
	k.lacking = k.core.Live().Len() - k.core.Live().AndLen(covered)
	if max, ok := k.core.Live().Max(); ok {
		last = uint16(max >> 16)
	}
	least, most, waits := 0, -1, false
	for block, docs := range k.core.Live().Blocks() {
		n := docs.Len()
		lacking := n - docs.AndLen(covered.Block(block))
		slack := min(n/columnSlack, columnSlackMax)
		if k.lacking > columnSlackAll {
			slack = min(slack, columnSlackAll*n/k.core.Live().Len())
		}
		if n < columnBlockMin || lacking <= slack {
			continue
		}
		switch {
		case block != last && lacking > columnImported: // an import has gone on to the next block
		case k.wanted() && (patient || lacking >= columnFresh):
		case quiet >= columnPatience:
		default:
			waits = true
			continue
		}
		if lacking > least {
			least, most = lacking, int(block)
		}
	}
	if most < 0 {
		if !waits {
			k.dirty, k.searched = false, false
		}
		return job, false
	}
	if !k.core.Acquire() {
		return job, false
	}
	k.since = docset.Set{}
	block := uint16(most)
	live := k.core.Live().Block(block)
	job = columnJob{core: k.core, block: block, epoch: k.epoch}
	job.docs, job.all = k.columns.Choose(block, live, limit, maxSegments)
	return job, true
}

// columnist makes columns, one file at a time; it ends with stop.
func (h *Host) columnist(ctx context.Context) {
	tick := time.NewTicker(columnTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := h.makeColumns(ctx); err != nil && ctx.Err() == nil {
			h.o.Log.Warn("shard: making columns; searches go on without, slower", slog.Any("error", err))
			select {
			case <-ctx.Done():
				return
			case <-time.After(columnRest):
			}
		}
	}
}

// makeColumns makes all columns that are needed.
func (h *Host) makeColumns(ctx context.Context) error {
	h.columning.Lock()
	defer h.columning.Unlock()
	var failed error
	for _, r := range h.all() {
		if err := r.columns.dropFaulty(r); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		for ctx.Err() == nil {
			job, ok := r.columns.next(h.o.Now(), h.columnDocs())
			if !ok {
				break
			}
			if err := h.makeBlock(ctx, r, job); err != nil {
				failed = errors.Join(failed, err)
				break
			}
		}
	}
	return failed
}

// columnDocs is the number of documents whose columns are made at once: that many take
// about as much memory as the cache.
func (h *Host) columnDocs() int {
	const bytesPerDocument = 1 << 10
	return min(1<<16, max(1<<13, int(h.o.Budget.Columns/bytesPerDocument)))
}

func (h *Host) makeBlock(ctx context.Context, r *replica, job columnJob) error {
	v := job.core.View()
	f, err := h.writeColumns(ctx, v, job.block, job.docs)
	if err = errors.Join(err, v.Close()); err != nil {
		if f != nil {
			err = errors.Join(err, f.file.Close(), h.removeColumns(f.name))
		}
		return err
	}
	ok, err := r.columns.take(r, job, f, h.o.Now())
	if !ok {
		err = errors.Join(err, f.file.Close(), h.removeColumns(f.name))
	}
	return err
}

// dropFaulty forgets the columns of blocks that could not be read; they are made anew.
func (k *columnKeeper) dropFaulty(r *replica) error {
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
		err = errors.Join(err, k.drop(r, block))
	}
	r.host.sayDamaged(r.key, faults)
	return err
}

// ColumnFigures are what columns take and how far they reach.
type ColumnFigures struct {
	Files     int
	FileBytes int64
	MemBytes  int64 // beside the cache
	Lacking   int   // documents without
}

func (h *Host) columnFigures() (f ColumnFigures) {
	for _, r := range h.all() {
		k := &r.columns
		k.mu.Lock()
		f.Lacking += k.lacking
		if k.files != nil {
			f.Files += len(k.files.files)
			f.FileBytes += k.files.size()
			for _, c := range k.files.files {
				f.MemBytes += int64(c.MemBytes())
			}
		}
		k.mu.Unlock()
	}
	return f
}
