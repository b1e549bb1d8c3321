package shard

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"shoal/shard/docset"
	"shoal/shard/rank"
)

const (
	// columnBlockMin is the number of documents from which on a block gets columns.
	columnBlockMin = 512
	// columnSlack is the part of a block, as a divisor, that its columns may lack
	// before they are made anew, columnSlackMax the number of documents.
	columnSlack, columnSlackMax = 16, 2048
	// columnTick is how often the columnist looks around. It waits until a shard was
	// left alone for columnQuiet; one that is searched while it is written gets columns
	// every columnPatience, one that is not searched when it was left alone as long.
	columnTick, columnQuiet, columnPatience = 100 * time.Millisecond, 500 * time.Millisecond, 10 * time.Second
)

// columnKeeper keeps the columns of a shard (rank.Columns) from version to
// version: documents that changed are no longer covered, until the columnist makes
// the columns of their block anew. Columns change no answer, so nothing waits for
// them.
type columnKeeper struct {
	mu      sync.Mutex
	columns *rank.Columns
	core    *core // the newest version; not counted
	// epoch counts the times that all was lost; since are the documents that changed
	// while a block is being made.
	epoch int
	since docset.Set
	// searched tells that a version before core was searched since columns were made.
	searched bool
	dirty    bool
	changed  time.Time
	built    time.Time
}

// advance gives the next version its columns. changed are the documents that may
// differ from the version before; known is false when all may.
func (k *columnKeeper) advance(c *core, changed docset.Set, known bool, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known {
		k.columns, k.since = k.columns.Without(changed), k.since.Or(changed)
	} else {
		k.columns, k.since = nil, docset.Set{}
		k.epoch++
	}
	k.searched = k.wanted()
	k.core, k.dirty, k.changed = c, true, now
	c.lens.columns.Store(k.columns)
}

// wanted tells whether some version was searched since columns were made. The
// caller holds mu.
func (k *columnKeeper) wanted() bool {
	return k.searched || k.core != nil && k.core.lens.searched.Load()
}

// columnJob is one block whose columns are to be made.
type columnJob struct {
	core  *core
	block uint16
	epoch int
}

// next returns the block that needs columns most urgently, with a reference to the
// version that is to be read.
func (k *columnKeeper) next(now time.Time) (job columnJob, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	quiet := now.Sub(k.changed)
	if !k.dirty || !k.wanted() && quiet < columnPatience || quiet < columnQuiet && now.Sub(k.built) < columnPatience {
		return job, false
	}
	covered := k.columns.Covered()
	for block, docs := range k.core.live.Blocks() {
		n := docs.Len()
		lacking := n - docs.AndLen(covered.Block(block))
		if n < columnBlockMin || lacking <= min(n/columnSlack, columnSlackMax) {
			continue
		}
		if !k.core.acquire() {
			return job, false
		}
		k.since = docset.Set{}
		return columnJob{k.core, block, k.epoch}, true
	}
	k.dirty, k.searched = false, false
	return job, false
}

// take puts made columns into effect.
func (k *columnKeeper) take(job columnJob, b *rank.BlockColumns, docs docset.Container, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.epoch != job.epoch {
		return
	}
	k.columns = k.columns.With(job.block, b, docs.AndNot(k.since.Block(job.block)))
	k.built = now
	k.core.lens.columns.Store(k.columns)
}

func (k *columnKeeper) bytes() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.columns.Bytes()
}

// columnist makes columns, one block at a time; it ends with stop.
func (h *Host) columnist(ctx context.Context) {
	defer close(h.columnsDone)
	tick := time.NewTicker(columnTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := h.makeColumns(ctx); err != nil && ctx.Err() == nil {
			h.o.Log.Warn("shard: making columns", slog.Any("error", err))
		}
	}
}

// makeColumns makes the columns of all blocks that need some, while the budget
// lasts.
func (h *Host) makeColumns(ctx context.Context) error {
	h.columning.Lock()
	defer h.columning.Unlock()
	var failed error
	for _, r := range h.all() {
		for ctx.Err() == nil {
			job, ok := r.columns.next(h.o.Now())
			if !ok {
				break
			}
			if int64(h.columnBytes()) > h.o.ColumnBytes {
				job.core.release()
				return failed
			}
			err := h.makeBlock(ctx, r, job)
			if err != nil {
				failed = errors.Join(failed, err)
				break
			}
		}
	}
	return failed
}

func (h *Host) makeBlock(ctx context.Context, r *replica, job columnJob) error {
	v := h.viewOf(job.core)
	b, docs, err := rank.BuildBlock(ctx, NewLens(v), job.block)
	if err == nil {
		r.columns.take(job, b, docs, h.o.Now())
	}
	return errors.Join(err, v.Close())
}

func (h *Host) columnBytes() int {
	sum := 0
	for _, r := range h.all() {
		sum += r.columns.bytes()
	}
	return sum
}
