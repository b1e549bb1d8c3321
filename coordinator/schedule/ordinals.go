package schedule

import (
	"fmt"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// ordinalCache caches the ordinals in use at the published version, for indexes with several
// shards (architecture 5.9). It is soft state of the leader: on a miss the shards are asked.
// Safe for concurrent use.
type ordinalCache struct {
	mu   sync.Mutex
	live map[uint32]liveOrdinals
}

type liveOrdinals struct {
	version uint64
	set     *roaring.Bitmap // not modified once stored
}

func (c *ordinalCache) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live = map[uint32]liveOrdinals{}
}

func (c *ordinalCache) forget(index uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live, index)
}

// at returns the set of exactly this version, nil when it is not cached.
func (c *ordinalCache) at(index uint32, version uint64) *roaring.Bitmap {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.live[index]; ok && l.version == version {
		return l.set
	}
	return nil
}

func (c *ordinalCache) put(index uint32, version uint64, set *roaring.Bitmap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live != nil {
		c.live[index] = liveOrdinals{version, set}
	}
}

// mergeLive returns the union of the sets that shards reported.
func mergeLive(parts [][]byte) (*roaring.Bitmap, error) {
	all := roaring.New()
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		one := roaring.New()
		if err := one.UnmarshalBinary(p); err != nil {
			return nil, fmt.Errorf("live ordinals of a shard: %w", err)
		}
		all.Or(one)
	}
	return all, nil
}

// allot gives each new document the smallest free ordinal, in order of first appearance over
// all shards. news[i] are the positions that bring new documents to shard i, ascending;
// perShard has their ordinals. live is not modified; after is live plus the allotted ordinals.
func allot(live *roaring.Bitmap, news [][]uint64) (perShard [][]uint32, after *roaring.Bitmap) {
	type newcomer struct {
		position uint64
		shard    int
	}
	var all []newcomer
	perShard = make([][]uint32, len(news))
	for i, list := range news {
		perShard[i] = make([]uint32, 0, len(list))
		for _, p := range list {
			all = append(all, newcomer{p, i})
		}
	}
	slices.SortFunc(all, func(a, b newcomer) int {
		switch {
		case a.position < b.position:
			return -1
		case a.position > b.position:
			return 1
		}
		return a.shard - b.shard
	})
	after = live.Clone()
	free := freeOrdinals(live, len(all))
	for i, n := range all {
		perShard[n.shard] = append(perShard[n.shard], free[i])
	}
	after.AddMany(free)
	return perShard, after
}

// freeOrdinals returns the n smallest numbers that are not in live, ascending.
func freeOrdinals(live *roaring.Bitmap, n int) []uint32 {
	free := make([]uint32, 0, n)
	next := uint32(0)
	if !live.IsEmpty() {
		end := uint64(live.Maximum()) + 1
		if gaps := end - live.GetCardinality(); gaps > 0 && n > 0 {
			it := roaring.Flip(live, 0, end).Iterator()
			for len(free) < n && it.HasNext() {
				free = append(free, it.Next())
			}
		}
		next = uint32(end)
	}
	for len(free) < n {
		free = append(free, next)
		next++
	}
	return free
}
