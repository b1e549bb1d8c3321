package version

import (
	"hash/maphash"
	"sync"

	"shoal/shard/docset"
)

// PostingCache caches decoded posting sets across the versions of shards. An entry is
// valid from the version that stored or last changed it. Safe for concurrent use.
//
// Correctness depends on the order of an install: it first advances the version whose
// sets may be stored, which put checks under the part's lock; then it changes or
// removes the sets named by the delta; only then do readers get the new version. So an
// outdated set is either not stored or changed, before a reader of the new version sees
// it. Readers of an older version do not get changed sets.
type PostingCache struct {
	seed  maphash.Seed
	parts [16]postingPart
}

// Bytes returns the size of the cache.
func (c *PostingCache) Bytes() int64 { return c.sum(func(p *postingPart) int { return p.bytes }) }

type postingPart struct {
	mu    sync.Mutex
	max   int
	bytes int
	m     map[postingName]*postingEntry
	hand  []*postingEntry // ring of the clock
	at    int
}

// postingName identifies a posting list of one line of versions.
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
	// changes are not yet applied to set, oldest first.
	changes []postingChange
}

// size returns the size of the entry with a set.
func (e *postingEntry) size(set docset.Set) int { return set.MemBytes() + len(e.key.name) + 160 }

// NewPostingCache returns a cache of budget bytes.
func NewPostingCache(budget int64) *PostingCache {
	c := &PostingCache{seed: maphash.MakeSeed()}
	for i := range c.parts {
		c.parts[i].m = make(map[postingName]*postingEntry)
	}
	c.Resize(budget)
	return c
}

// Resize changes the bound of the cache and evicts what exceeds it.
func (c *PostingCache) Resize(budget int64) {
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		p.max = int(budget) / len(c.parts)
		p.shrink()
		p.mu.Unlock()
	}
}

// Limit returns the bound of the cache in bytes.
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

// get returns the set at a version.
func (c *PostingCache) get(n postingName, version uint64) (docset.Set, bool) {
	p := c.part(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.m[n]
	if e == nil || e.from > version {
		return docset.Set{}, false
	}
	if !p.apply(e) {
		return docset.Set{}, false
	}
	e.used = true
	return e.set, true
}

// put caches a set read at version, if caching returns that version.
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

// remove drops a set that a delta changed.
func (c *PostingCache) remove(n postingName) {
	p := c.part(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.m[n]; e != nil {
		p.remove(e)
	}
}

// remove drops an entry. The caller holds mu.
func (p *postingPart) remove(e *postingEntry) {
	e.gone = true
	p.bytes -= e.bytes
	delete(p.m, e.key)
	e.set, e.changes = docset.Set{}, nil
}

// shrink evicts until the budget holds. An entry used since the hand last passed stays
// for one more round.
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
	if len(p.hand) > 2*len(p.m)+1024 { // removed entries must not accumulate
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
