package columnist

import (
	"errors"
	"time"

	"shoal/shard/docset"
	"shoal/shard/version"
)

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
	// MaxSegments is the number of files of a block; with more, small ones become one.
	MaxSegments = 8
	// columnRest is how long nothing is made after something could not be written.
	columnRest = time.Minute
)

// job are documents of a block whose columns are to be made. all: they are all
// that are not covered, and maybe some more.
type job struct {
	block uint16
	docs  docset.Container
	all   bool
	parts []part
}

// part is what one shard has in a job: some of the documents, of one version, to which
// the job has a reference.
type part struct {
	keeper  *Keeper
	core    *version.Version
	version uint64 // of core
	view    *version.View
	own     docset.Container
	epoch   int
}

// lock locks the keepers of one index, which are in the order of shards.
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

// next returns the documents of an index that need columns most urgently, at most limit,
// with references to the versions that are to be read.
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

// release gives the references back.
func (j *job) release() (err error) {
	for i := range j.parts {
		err = errors.Join(err, j.parts[i].view.Close())
	}
	return err
}
