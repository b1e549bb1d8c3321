package vector

import (
	"sync"
	"sync/atomic"
	"time"
)

// Cache bounds the memory of decoded blocks over all shards of a host. When
// it is full, blocks that nobody used for a while make room. The rows of blocks that
// find no room are compared where they are stored. Safe for concurrent use.
type Cache struct {
	now    func() time.Time
	budget int64

	mu    sync.Mutex
	bytes int64
	kept  map[*Block]*keptBlock
}

type keptBlock struct {
	bytes int64
	last  atomic.Int64 // second of the last use
}

// idleBlock is how long a block stays although others need its room.
const idleBlock = 30 * time.Second

// NewCache returns a cache of so many bytes; now is its clock.
func NewCache(budget int64, now func() time.Time) *Cache {
	return &Cache{now: now, budget: budget, kept: make(map[*Block]*keptBlock)}
}

// Held returns the bytes of the rows that are kept.
func (v *Cache) Held() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes
}

func (v *Cache) used(b *Block) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if k := v.kept[b]; k != nil {
		k.last.Store(v.now().Unix())
	}
}

// hasRoom tells whether rows of so many bytes could be kept.
func (v *Cache) hasRoom(bytes int64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.makeRoom(bytes)
	return v.bytes+bytes <= v.budget
}

// makeRoom drops idle blocks when there is no room for so many bytes. The caller holds
// v.mu.
func (v *Cache) makeRoom(bytes int64) {
	if v.bytes+bytes <= v.budget {
		return
	}
	now := v.now().Unix()
	for b, k := range v.kept {
		if now-k.last.Load() > int64(idleBlock/time.Second) {
			v.drop(b, k)
		}
	}
}

// keep makes the rows those of the block if there is room.
func (v *Cache) keep(b *Block, rows *Rows) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.makeRoom(rows.bytes)
	if b.gone.Load() || v.bytes+rows.bytes > v.budget {
		return
	}
	k := &keptBlock{bytes: rows.bytes}
	k.last.Store(v.now().Unix())
	v.kept[b] = k
	v.bytes += rows.bytes
	b.rows.Store(rows)
}

func (v *Cache) drop(b *Block, k *keptBlock) {
	b.rows.Store(nil)
	v.bytes -= k.bytes
	delete(v.kept, b)
}

// Retire lets go of the blocks of a replaced version that the next one, nil at
// the end of a shard, does not share. Readers of the old one decode them again.
func (v *Cache) Retire(old, next *Table) {
	if old == nil || old == next {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, b := range old.blocks {
		if next != nil && i < len(next.blocks) && next.blocks[i] == b {
			continue
		}
		b.gone.Store(true)
		if k := v.kept[b]; k != nil {
			v.drop(b, k)
		}
	}
}
