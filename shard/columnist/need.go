package columnist

import (
	"slices"
	"time"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
)

// need is what some shards of an index, read as one, have of columns and need. Their
// keepers are locked as long as it is used.
type need struct {
	of      []*Keeper
	live    docset.Set
	columns *columns.Columns
	// quiet is how long nothing has changed, patient tells that this, or the time since
	// columns were made, is long enough; wanted that the shards are searched.
	quiet           time.Duration
	patient, wanted bool
	least           int // documents that a block needs
	lacking         int
	waits           bool // some block has to wait
}

// disjoint divides shards of an index into such that have no document in common, at most
// maxShared each. While an index gets other shards both the old and the new ones have
// each document, not always in the same version. There are none when nothing has changed:
// this is asked ten times a second.
func disjoint(siblings []*Keeper) (groups [][]*Keeper) {
	defer lock(siblings)()
	if !slices.ContainsFunc(siblings, func(k *Keeper) bool { return k.dirty }) {
		return nil
	}
	var lives []docset.Set // of each group
	for _, k := range siblings {
		if k.core == nil {
			continue
		}
		live := k.core.Live()
		i := 0
		for i < len(groups) && (len(groups[i]) == maxShared || lives[i].AndLen(live) > 0) {
			i++
		}
		if i == len(groups) {
			groups, lives = append(groups, nil), append(lives, docset.Set{})
		}
		groups[i], lives[i] = append(groups[i], k), lives[i].Or(live)
	}
	return groups
}

// newNeed looks at shards of an index; nil when nothing has changed since nothing was
// needed, or when the shards have come to have a document in common: then they have to be
// divided anew.
func newNeed(siblings []*Keeper, now time.Time, least int) *need {
	n := &need{least: least}
	var changed, built time.Time
	var live []docset.Set
	var known []*columns.Columns
	dirty := false
	for _, k := range siblings {
		if k.core == nil {
			continue
		}
		n.of = append(n.of, k)
		live, known = append(live, k.core.Live()), append(known, k.columns)
		dirty, n.wanted = dirty || k.dirty, n.wanted || k.wanted()
		if k.changed.After(changed) {
			changed = k.changed
		}
		if k.built.After(built) {
			built = k.built
		}
	}
	if !dirty {
		return nil
	}
	n.live, n.columns = live[0], columns.Unite(known...)
	if len(live) > 1 {
		sum := 0
		for _, one := range live {
			sum += one.Len()
		}
		if n.live = docset.Union(live...); n.live.Len() < sum {
			return nil
		}
	}
	n.quiet = now.Sub(changed)
	n.patient = n.quiet >= columnQuiet || now.Sub(built) >= columnPatience
	for i, k := range n.of {
		k.lacking = live[i].Len() - live[i].AndLen(k.columns.Covered())
		n.lacking += k.lacking
	}
	return n
}

// block returns the block that lacks most, of those that wait for nothing.
func (n *need) block() (block uint16, ok bool) {
	covered, last := n.columns.Covered(), uint16(0)
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
		case at != last && lacking > columnImported: // an import has gone on to the next block
		case n.wanted && (n.patient || lacking >= columnFresh):
		case n.quiet >= columnPatience:
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

// slack is the number of documents that a block of so many may lack.
func (n *need) slack(count int) int {
	slack := min(count/columnSlack, columnSlackMax)
	if n.lacking > columnSlackAll {
		slack = min(slack, columnSlackAll*count/n.live.Len())
	}
	return slack
}

// apart returns a block of at most limit documents whose shards have columns in files of
// their own: a search of all would read one after the other. It can wait until the shards
// are left alone.
func (n *need) apart(limit int) (block uint16, ok bool) {
	if len(n.of) < 2 {
		return 0, false
	}
	own := make([]docset.Container, len(n.of))
	for at, docs := range n.live.Blocks() {
		if docs.Len() < n.least || docs.Len() > limit {
			continue
		}
		for i, k := range n.of {
			own[i] = k.core.Live().Block(at)
		}
		if !n.columns.Apart(at, own) {
			continue
		}
		if n.quiet >= columnPatience {
			return at, true
		}
		n.waits = true
	}
	return 0, false
}

// rest has the shards not looked at again until they change, unless a block waits.
func (n *need) rest() {
	if n.waits {
		return
	}
	for _, k := range n.of {
		k.dirty, k.searched = false, false
	}
}
