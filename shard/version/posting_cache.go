package version

import (
	"hash/maphash"
	"sync"

	"shoal/shard/docset"
)

// PostingCache keeps decoded posting sets across the versions of shards: an entry
// holds from the version that put it there, or changed it last. Safe for concurrent use.
//
// The order of events keeps it right: an install first moves on the version whose
// sets may be put, checked under the part's lock, then changes or removes those whose
// names it has, and only then lets readers have the new version. So an outdated set is
// either not put or changed, and nobody who reads the new version has seen it; who reads
// an older one does not get what was changed since.
type PostingCache struct {
	seed  maphash.Seed
	parts [16]postingPart
}

// Bytes returns what the cache holds.
func (c *PostingCache) Bytes() int64 { return c.sum(func(p *postingPart) int { return p.bytes }) }

type postingPart struct {
	mu    sync.Mutex
	max   int
	bytes int
	m     map[postingName]*postingEntry
	hand  []*postingEntry // ring of the clock
	at    int
}

// postingName is a posting list of one line of states.
type postingName struct {
	epoch uint64
	Posting
}

type postingEntry struct {
	key   postingName
	set   docset.Set
	from  uint64
	bytes int
	used  bool
	gone  bool
	// changes are to be made of set, the oldest first.
	changes []postingChange
}

// size is what the entry takes with a set.
func (e *postingEntry) size(set docset.Set) int { return set.MemBytes() + len(e.key.name) + 160 }

// NewPostingCache returns a cache of so many bytes.
func NewPostingCache(budget int64) *PostingCache {
	c := &PostingCache{seed: maphash.MakeSeed()}
	for i := range c.parts {
		c.parts[i].m = make(map[postingName]*postingEntry)
	}
	c.Resize(budget)
	return c
}

// Resize changes how many bytes the cache may hold. What is too much by then goes.
func (c *PostingCache) Resize(budget int64) {
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		p.max = int(budget) / len(c.parts)
		p.shrink()
		p.mu.Unlock()
	}
}

// Limit returns how many bytes the cache may hold.
func (c *PostingCache) Limit() int64 { return c.sum(func(p *postingPart) int { return p.max }) }

// sum adds up a figure of all parts.
func (c *PostingCache) sum(of func(*postingPart) int) (n int64) {
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		n += int64(of(p))
		p.mu.Unlock()
	}
	return n
}

func (c *PostingCache) part(n postingName) *postingPart {
	return &c.parts[maphash.Comparable(c.seed, n)%uint64(len(c.parts))]
}

// get returns the set as it is at a version.
func (c *PostingCache) get(n postingName, version uint64) (docset.Set, bool) {
	p := c.part(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.m[n]
	if e == nil || e.from > version {
		return docset.Set{}, false
	}
	if !p.settle(e) {
		return docset.Set{}, false
	}
	e.used = true
	return e.set, true
}

// put keeps a set read at version; caching tells the version whose sets are kept.
func (c *PostingCache) put(n postingName, version uint64, caching func() uint64, set docset.Set) {
	e := &postingEntry{key: n, set: set, from: version}
	e.bytes = e.size(set)
	p := c.part(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.bytes > p.max/4 || p.m[n] != nil || caching() != version {
		return
	}
	p.m[n] = e
	p.hand = append(p.hand, e)
	p.bytes += e.bytes
	p.shrink()
}

// remove forgets a set that a delta changed.
func (c *PostingCache) remove(n postingName) {
	p := c.part(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.m[n]; e != nil {
		p.remove(e)
	}
}

// remove forgets an entry. The caller holds mu.
func (p *postingPart) remove(e *postingEntry) {
	e.gone = true
	p.bytes -= e.bytes
	delete(p.m, e.key)
	e.set, e.changes = docset.Set{}, nil
}

// shrink evicts until the budget holds: what was used since the hand last came
// by stays once more.
func (p *postingPart) shrink() {
	for p.bytes > p.max && len(p.hand) > 0 {
		p.at %= len(p.hand)
		e := p.hand[p.at]
		if !e.gone && e.used {
			e.used = false
			p.at++
			continue
		}
		if !e.gone {
			delete(p.m, e.key)
			p.bytes -= e.bytes
		}
		last := len(p.hand) - 1
		p.hand[p.at] = p.hand[last]
		p.hand[last] = nil
		p.hand = p.hand[:last]
	}
	if len(p.hand) > 2*len(p.m)+1024 { // removed entries must not pile up
		kept := p.hand[:0]
		for _, e := range p.hand {
			if !e.gone {
				kept = append(kept, e)
			}
		}
		clear(p.hand[len(kept):])
		p.hand = kept
	}
}
