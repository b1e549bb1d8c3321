package posting

import (
	"hash/maphash"
	"sync"

	"shoal/shard/docset"
)

// Cache caches decoded posting sets across the versions of shards. An entry is
// valid from the version that stored or last changed it. Safe for concurrent use.
//
// Correctness depends on the order of an install: it first advances the version whose
// sets may be stored, which put checks under the part's lock; then it changes or
// removes the sets named by the delta; only then do readers get the new version. So an
// outdated set is either not stored or changed, before a reader of the new version sees
// it. Readers of an older version do not get changed sets.
type Cache struct {
	seed  maphash.Seed
	parts [16]part
}

// Bytes returns the size of the cache.
func (c *Cache) Bytes() int64 { return c.sum(func(p *part) int { return p.bytes }) }

type part struct {
	mu    sync.Mutex
	max   int
	bytes int
	m     map[name]*entry
	hand  []*entry // ring of the clock
	at    int
}

// name identifies a posting list of one line of versions.
type name struct {
	epoch uint64
	List
}

type entry struct {
	key   name
	set   docset.Set
	from  uint64
	bytes int
	used  bool
	gone  bool
	// changes are not yet applied to set, oldest first.
	changes []change
}

// size returns the size of the entry with a set.
func (e *entry) size(set docset.Set) int { return set.MemBytes() + len(e.key.Name) + 160 }

// NewCache returns a cache of budget bytes.
func NewCache(budget int64) *Cache {
	c := &Cache{seed: maphash.MakeSeed()}
	for i := range c.parts {
		c.parts[i].m = make(map[name]*entry)
	}
	c.Resize(budget)
	return c
}

// Resize changes the bound of the cache and evicts what exceeds it.
func (c *Cache) Resize(budget int64) {
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		p.max = int(budget) / len(c.parts)
		p.shrink()
		p.mu.Unlock()
	}
}

// Limit returns the bound of the cache in bytes.
func (c *Cache) Limit() int64 { return c.sum(func(p *part) int { return p.max }) }

// sum adds up a figure of all parts.
func (c *Cache) sum(of func(*part) int) (n int64) {
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		n += int64(of(p))
		p.mu.Unlock()
	}
	return n
}

func (c *Cache) partOf(n name) *part {
	return &c.parts[maphash.Comparable(c.seed, n)%uint64(len(c.parts))]
}

// get returns the set at a version.
func (c *Cache) get(n name, version uint64) (docset.Set, bool) {
	p := c.partOf(n)
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
func (c *Cache) put(n name, version uint64, caching func() uint64, set docset.Set) {
	e := &entry{key: n, set: set, from: version}
	e.bytes = e.size(set)
	p := c.partOf(n)
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
func (c *Cache) remove(n name) {
	p := c.partOf(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.m[n]; e != nil {
		p.remove(e)
	}
}

// remove drops an entry. The caller holds mu.
func (p *part) remove(e *entry) {
	e.gone = true
	p.bytes -= e.bytes
	delete(p.m, e.key)
	e.set, e.changes = docset.Set{}, nil
}

// shrink evicts until the budget holds. An entry used since the hand last passed stays
// for one more round.
func (p *part) shrink() {
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
