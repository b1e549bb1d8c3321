package version

import (
	"cmp"
	"sync"

	"shoal/shard/docset"
)

// maxRangeBytes is the default size limit of the ranges cached for one version of a
// shard.
const maxRangeBytes = 16 << 20

// rangeCache caches the documents of ranges of facet values for one version of a shard,
// because filters repeat the same few ranges. A full one starts over. Safe for
// concurrent use; the zero value is ready.
type rangeCache struct {
	mu    sync.Mutex
	sets  map[string]docset.Set
	bytes int
	max   int // 0 is maxRangeBytes
}

// held returns the cached bytes.
func (c *rangeCache) held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

func (c *rangeCache) get(key string) (docset.Set, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	set, ok := c.sets[key]
	return set, ok
}

func (c *rangeCache) put(key string, set docset.Set) {
	size := set.MemBytes() + len(key) + 64
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sets == nil || c.bytes+size > cmp.Or(c.max, maxRangeBytes) {
		c.sets, c.bytes = make(map[string]docset.Set), 0
	}
	if _, ok := c.sets[key]; !ok {
		c.bytes += size
	}
	c.sets[key] = set
}
