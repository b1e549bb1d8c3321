package columnist

import (
	"time"

	"shoal/shard/docset"
)

// need describes the columns that a shard has and needs. Its keeper is locked as long as
// it is used.
type need struct {
	of   *Keeper
	live docset.Set
	// quiet is the time since the last change. patient means that quiet, or the time
	// since the last build, is long enough. wanted means that the shard is searched.
	quiet           time.Duration
	patient, wanted bool
	least           int  // least documents of a block with columns
	limit           int  // documents of a build
	waits           bool // some block must wait
}

// newNeed examines a shard. It returns nil if nothing changed since the last check found
// no need.
func newNeed(k *Keeper, now time.Time, least, limit int) *need {
	if k.core == nil || !k.dirty {
		return nil
	}
	n := &need{of: k, live: k.core.Live(), least: least, limit: limit, wanted: k.wanted(), quiet: now.Sub(k.changed)}
	n.patient = n.quiet >= columnQuiet || now.Sub(k.built) >= columnPatience
	k.lacking = n.live.Len() - n.live.AndLen(k.columns.Covered())
	return n
}

// block returns the block that lacks most, among those that need not wait.
func (n *need) block() (block uint16, ok bool) {
	covered, last := n.of.columns.Covered(), uint16(0)
	if max, ok := n.live.Max(); ok {
		last = uint16(max >> 16)
	}
	least := 0
	for at, docs := range n.live.Blocks() {
		count := docs.Len()
		lacking := count - docs.AndLen(covered.Block(at))
		if count < n.least || lacking <= n.slack(count) {
			continue
		}
		switch {
		case at != last && lacking > columnImported: // an import has moved on to the next block
		case n.wanted && (n.patient || lacking >= columnFresh):
		case n.quiet >= columnIdle:
		default:
			n.waits = true
			continue
		}
		if lacking > least {
			least, block, ok = lacking, at, true
		}
	}
	return block, ok
}

// divided returns a block whose columns have several files, though one build can make one of
// them. Searches take longer the more files there are. It is worthwhile once the shard rests:
// an import that pauses begins a file that ends too early.
func (n *need) divided() (block uint16, ok bool) {
	for at, docs := range n.live.Blocks() {
		if docs.Len() > n.limit || len(n.of.columns.Blocks(at)) < 2 {
			continue
		}
		if n.quiet >= columnRested {
			return at, true
		}
		n.waits = true
	}
	return 0, false
}

// urgent reports whether so many documents lack columns that searches are slow.
func (n *need) urgent() bool { return n.of.lacking > n.live.Len()/columnUrgent }

// slack is the number of documents that a block of count documents may lack.
func (n *need) slack(count int) int {
	slack := min(count/columnSlack, columnSlackMax)
	if lacking := n.of.lacking; lacking > columnSlackAll {
		slack = min(slack, columnSlackAll*count/n.live.Len())
	}
	return slack
}

// rest stops checking the shard until it changes, unless a block waits.
func (n *need) rest() {
	if !n.waits {
		n.of.dirty, n.of.searched = false, false
	}
}
