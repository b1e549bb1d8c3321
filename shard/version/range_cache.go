package version

import (
	"cmp"
	"sync"

	"shoal/shard/docset"
	"shoal/shard/element"
)

// maxRangeBytes is the default size limit of the ranges cached for one version of a
// shard.
const maxRangeBytes = 16 << 20

// rangeCache caches the documents, or the elements, of ranges of facet values for one version of a shard,
// because filters repeat the same few ranges. A full one starts over. Safe for
// concurrent use; the zero value is ready.
type rangeCache struct {
	mu    sync.Mutex
	sets  map[string]ranged
	bytes int
	max   int // 0 is maxRangeBytes
}

// ranged is what is kept of a range: documents, or elements.
type ranged struct {
	docs     docset.Set
	elements element.Set
}

// held returns the cached bytes.
func (c *rangeCache) held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

func (c *rangeCache) get(key string) (ranged, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	set, ok := c.sets[key]
	return set, ok
}

func (c *rangeCache) put(key string, set ranged) {
	size := set.docs.MemBytes() + len(key) + 64
	if set.elements != nil {
		size += set.elements.MemBytes()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sets == nil || c.bytes+size > cmp.Or(c.max, maxRangeBytes) {
		c.sets, c.bytes = make(map[string]ranged), 0
	}
	if _, ok := c.sets[key]; !ok {
		c.bytes += size
	}
	c.sets[key] = set
}
