package columnist

import (
	"errors"
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
	// columnTick is the interval of checks. A shard must have been quiet for
	// columnQuiet. One that is searched while it is written gets columns every
	// columnPatience. One that is not searched must have been quiet for columnPatience.
	columnTick, columnQuiet, columnPatience = 100 * time.Millisecond, 500 * time.Millisecond, 10 * time.Second
	// MaxSegments is the largest number of files per block. Beyond it, small ones are
	// merged.
	MaxSegments = 8
	// columnRest is the pause after a failed write.
	columnRest = time.Minute
)

// job are the documents of a block for which columns are to be built. all: they include
// all uncovered ones.
type job struct {
	block uint16
	docs  docset.Container
	all   bool
	parts []part
}

// part is one shard's part of a job: documents of one version, to which the job holds a
// reference.
type part struct {
	keeper  *Keeper
	core    *version.Version
	version uint64 // of core
	view    *version.View
	own     docset.Container
	epoch   int
}

// lock locks the keepers of one index, which must be in shard order.
func lock(siblings []*Keeper) (unlock func()) {
	for _, k := range siblings {
		k.mu.Lock()
	}
	return func() {
		for _, k := range siblings {
			k.mu.Unlock()
		}
	}
}

// next returns the documents of an index that need columns most urgently, at most
// limit, with references to their versions.
func (c *Columnist) next(siblings []*Keeper, now time.Time, limit int) (j job, ok bool) {
	defer lock(siblings)()
	n := newNeed(siblings, now, c.o.BlockMin)
	if n == nil {
		return j, false
	}
	block, ok := n.block()
	if ok {
		j.block = block
		j.docs, j.all = n.columns.Choose(block, n.live.Block(block), limit, MaxSegments)
	} else if block, ok = n.apart(limit); ok {
		j = job{block: block, docs: n.live.Block(block), all: true}
	}
	if !ok {
		n.rest()
		return j, false
	}
	for _, k := range n.of {
		own := k.core.Live().Block(j.block).And(j.docs)
		if own.Empty() {
			continue
		}
		if !k.core.Acquire() {
			_ = j.release() // nothing was read
			return job{}, false
		}
		k.since = docset.Set{}
		j.parts = append(j.parts, part{keeper: k, core: k.core, version: k.core.State().Version, view: k.core.View(), own: own, epoch: k.epoch})
	}
	return j, true
}

// release releases the references.
func (j *job) release() (err error) {
	for i := range j.parts {
		err = errors.Join(err, j.parts[i].view.Close())
	}
	return err
}
