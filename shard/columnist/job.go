package columnist

import (
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
	core  *version.Version
	block uint16
	docs  docset.Container
	all   bool
	epoch int
}

// next returns the documents that need columns most urgently, at most limit, with a
// reference to the version that is to be read.
func (k *Keeper) next(now time.Time, limit int) (j job, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.dirty {
		return j, false
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
		if n < k.by.o.BlockMin || lacking <= slack {
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
		return j, false
	}
	if !k.core.Acquire() {
		return j, false
	}
	k.since = docset.Set{}
	block := uint16(most)
	live := k.core.Live().Block(block)
	j = job{core: k.core, block: block, epoch: k.epoch}
	j.docs, j.all = k.columns.Choose(block, live, limit, MaxSegments)
	return j, true
}
