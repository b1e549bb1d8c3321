package search

import (
	"sync"
	"sync/atomic"

	"shoal/coordinator/driver"
	"shoal/wire"
)

// maxWords bounds the bytes of cached words of all indexes.
const maxWords = 8 << 20

// wordCaches caches the words of indexes, each for the state that was searched last. Safe for
// concurrent use; the zero value is ready.
type wordCaches struct {
	mu     sync.Mutex
	caches map[uint32]wordCache // by index
	bytes  atomic.Int64
}

// wordCache caches the words of one state. The record of an index changes with each version and
// each change of settings.
type wordCache struct {
	of    *wire.Index
	words *driver.Words
}

// of returns the cache for a state of an index.
func (b *wordCaches) of(x *wire.Index) *driver.Words {
	b.mu.Lock()
	defer b.mu.Unlock()
	cache, ok := b.caches[x.ID]
	if ok && cache.of == x && b.bytes.Load() <= maxWords {
		return cache.words
	}
	if ok {
		cache.words.Drop()
	}
	if b.bytes.Load() > maxWords || len(b.caches) >= maxLexes {
		for _, old := range b.caches {
			old.words.Drop()
		}
		clear(b.caches)
	}
	if b.caches == nil {
		b.caches = make(map[uint32]wordCache)
	}
	cache = wordCache{of: x, words: driver.NewWords(&b.bytes)}
	b.caches[x.ID] = cache
	return cache.words
}
