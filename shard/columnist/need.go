package columnist

import (
	"slices"
	"time"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
)

// need describes the columns that some shards of an index, read as one, have and need.
// Their keepers are locked as long as it is used.
type need struct {
	of      []*Keeper
	live    docset.Set
	columns *columns.Columns
	// quiet is the time since the last change. patient means that quiet, or the time
	// since the last build, is long enough. wanted means that the shards are searched.
	quiet           time.Duration
	patient, wanted bool
	least           int // least documents of a block with columns
	lacking         int
	waits           bool // some block must wait
}

// disjoint divides the shards of an index into groups of at most maxShared without
// common documents. During a reshard, the old and the new shards both have each
// document, not always in the same version. There are no groups if nothing has changed:
// this is called ten times a second.
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

// newNeed examines shards of an index. It returns nil if nothing changed since the last
// check found no need, or if the shards now have a common document and must be grouped
// again.
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

// block returns the block that lacks most, among those that need not wait.
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
		case at != last && lacking > columnImported: // an import has moved on to the next block
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

// slack is the number of documents that a block of count documents may lack.
func (n *need) slack(count int) int {
	slack := min(count/columnSlack, columnSlackMax)
	if n.lacking > columnSlackAll {
		slack = min(slack, columnSlackAll*count/n.live.Len())
	}
	return slack
}

// apart returns a block of at most limit documents whose shards have separate files,
// which a search would read one after the other. Merging them can wait until the shards
// are quiet.
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

// rest stops checking the shards until they change, unless a block waits.
func (n *need) rest() {
	if n.waits {
		return
	}
	for _, k := range n.of {
		k.dirty, k.searched = false, false
	}
}
