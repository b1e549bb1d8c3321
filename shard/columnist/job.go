package columnist

import (
	"time"

	"shoal/shard/docset"
	"shoal/shard/version"
)

const (
	// A block may lack columns for 1/columnSlack of its documents, but at most
	// columnSlackMax, and all blocks together for columnSlackAll.
	columnSlack, columnSlackMax, columnSlackAll = 16, 2048, 8192
	// columnFresh is the number of documents without columns at which a searched shard
	// does not wait for a quiet moment.
	columnFresh = 1024
	// columnImported is the number of documents without columns at which a block other
	// than the last one does not wait at all.
	columnImported = 4096
	// columnUrgent is the part of a shard's documents without columns that makes their
	// construction urgent.
	columnUrgent = 8
	// columnTick is the interval of checks. A searched shard must have been quiet for
	// columnQuiet, others for columnIdle: the first searches after an import should find
	// columns, but an import that pauses should not compete with their construction. A
	// shard that is searched while it is written gets columns every columnPatience.
	columnTick, columnQuiet    = 100 * time.Millisecond, 500 * time.Millisecond
	columnIdle, columnPatience = time.Second, 10 * time.Second
	// columnRested is the time without a change after which several files of a block become
	// one.
	columnRested = 10 * time.Second
	// MaxSegments is the largest number of files per block. Beyond it, small ones are
	// merged.
	MaxSegments = 8
	// columnRest is the pause after a failed write.
	columnRest = time.Minute
)

// job are the documents of a block for which columns are to be built, of one version of
// a shard, to which the job holds a reference. all: they include all uncovered ones.
type job struct {
	block uint16
	docs  docset.Container
	all   bool
	// urgent means that many documents of the shard lack columns. Its searches may take
	// fifty times as long until these are built, so the construction does not yield to
	// them.
	urgent bool
	keeper *Keeper
	// version is that of view, whose documents are read.
	version uint64
	view    *version.View
	epoch   int
}

// next returns the documents of a shard that need columns most urgently, at most limit,
// with a reference to their version.
func (c *Columnist) next(k *Keeper, now time.Time, limit int) (j job, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := newNeed(k, now, c.o.BlockMin, limit)
	if n == nil {
		return j, false
	}
	block, ok := n.block()
	whole := false
	if !ok {
		block, whole = n.divided()
	}
	if !ok && !whole {
		n.rest()
		return j, false
	}
	if !k.core.Acquire() {
		return j, false // nothing was read
	}
	j = job{block: block, keeper: k, version: k.core.State().Version, view: k.core.View(), epoch: k.epoch}
	if j.docs, j.all = n.live.Block(block), true; !whole {
		j.docs, j.all = k.columns.Choose(block, j.docs, limit, MaxSegments)
	}
	j.urgent = n.urgent()
	k.since = docset.Set{}
	return j, true
}

// release releases the reference.
func (j *job) release() error { return j.view.Close() }
