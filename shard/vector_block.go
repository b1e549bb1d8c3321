package shard

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// Vectors are compared in memory, in blocks of ordinals. A block is decoded when
// it is first needed and shared by all versions in which its rows are the same.

// vectorShift makes blocks of 2^12 ordinals.
const vectorShift = 12

// vectorTable lists the blocks of one version by number.
type vectorTable struct{ blocks []*vectorBlock }

// vectorBlock is the place of one block; its rows never change.
type vectorBlock struct {
	rows    atomic.Pointer[vectorRows]
	loading sync.Mutex
	gone    atomic.Bool // replaced in the newest version: not kept any more
}

// vectorRows are the decoded rows of a block.
type vectorRows struct {
	columns map[columnKey]*vectorColumn
	bytes   int64
}

// columnKey tells vectors apart that cannot be compared. One embedder has those
// of several lengths when its dimensions changed after users gave vectors, which
// stay as they are; an entry without vectors has length 0.
type columnKey struct {
	embedder   string
	dimensions int
	quantized  bool
}

// vectorColumn is what one embedder has for the documents of a block in one form.
type vectorColumn struct {
	columnKey
	// ords are the documents with an entry, ascending; those of the i-th are the
	// vectors [from[i], from[i+1]).
	ords   []uint32
	flags  []uint8
	from   []uint32
	stores []uint16
	values []float32 // dimensions per vector
	norms  []float32
	bits   []uint64 // in place of values when quantized: words per vector
	words  int
}

// Flags of a document in a column.
const (
	columnUser = 1 << iota
	columnRegenerate
)

// newVectorTable has one block, not loaded, for every place where documents are.
func newVectorTable(live docset.Set) *vectorTable {
	t := &vectorTable{}
	if last, ok := live.Max(); ok {
		t.grow(int(last>>vectorShift) + 1)
	}
	return t
}

func (t *vectorTable) grow(n int) {
	for len(t.blocks) < n {
		t.blocks = append(t.blocks, &vectorBlock{})
	}
}

// changed returns the table after the rows of some blocks changed.
func (t *vectorTable) changed(blocks map[uint32]struct{}) *vectorTable {
	if len(blocks) == 0 {
		return t
	}
	next := &vectorTable{blocks: append([]*vectorBlock(nil), t.blocks...)}
	for b := range blocks {
		next.grow(int(b) + 1)
		next.blocks[b] = &vectorBlock{}
	}
	return next
}

// vectorRows returns the rows of a block, from memory or from the store.
func (c *core) vectorRows(number int, cache *vectorCache) (*vectorRows, error) {
	b := c.vectors.blocks[number]
	if rows := b.rows.Load(); rows != nil {
		cache.used(b)
		return rows, nil
	}
	b.loading.Lock()
	defer b.loading.Unlock()
	if rows := b.rows.Load(); rows != nil {
		return rows, nil
	}
	rows, err := c.readVectorRows(uint32(number))
	if err == nil {
		cache.keep(b, rows)
	}
	return rows, err
}

func (c *core) readVectorRows(number uint32) (*vectorRows, error) {
	rows := &vectorRows{columns: map[columnKey]*vectorColumn{}}
	prefix := c.keys.prefix(nil, tableVector)
	it := c.borrow()
	defer c.giveBack(it)
	for more := it.SeekGE(c.keys.ordinal(nil, tableVector, number<<vectorShift)); more && tablePrefixed(it.Key(), prefix); more = it.Next() {
		ord := binary.BigEndian.Uint32(it.Key()[len(prefix):])
		if ord>>vectorShift != number {
			break
		}
		raw, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		list, err := record.ParseEmbeddings(raw)
		if err != nil {
			return nil, err
		}
		for i := range list {
			rows.add(ord, &list[i])
		}
	}
	for _, column := range rows.columns {
		column.from = append(column.from, uint32(column.len()))
		rows.bytes += column.memory()
	}
	return rows, it.Error()
}

func (r *vectorRows) add(ord uint32, e *record.Embedding) {
	key := columnKey{embedder: e.Name}
	if e.Len() > 0 {
		key.dimensions, key.quantized = e.Dimensions, e.Quantized
	}
	c := r.columns[key]
	if c == nil {
		c = &vectorColumn{columnKey: key, words: (key.dimensions + 63) / 64}
		r.columns[key] = c
	}
	flags := uint8(0)
	if e.UserProvided {
		flags |= columnUser
	}
	if e.Regenerate {
		flags |= columnRegenerate
	}
	c.ords, c.flags, c.from = append(c.ords, ord), append(c.flags, flags), append(c.from, uint32(c.len()))
	for i := range e.Len() {
		c.stores = append(c.stores, uint16(e.Store(i)))
		v := e.Vector(i)
		if e.Quantized {
			c.bits = record.AppendBits(c.bits, v)
			continue
		}
		c.values = append(c.values, v...)
		c.norms = append(c.norms, record.Norm(v))
	}
}

// like returns the column whose vectors can be compared with one of so many
// dimensions, nil if there are none. All vectors of an embedder are quantized, or
// none.
func (r *vectorRows) like(embedder string, dimensions int) *vectorColumn {
	if c := r.columns[columnKey{embedder, dimensions, false}]; c != nil {
		return c
	}
	return r.columns[columnKey{embedder, dimensions, true}]
}

// len is the number of vectors.
func (c *vectorColumn) len() int { return len(c.stores) }

func (c *vectorColumn) memory() int64 {
	return int64(4*cap(c.values) + 8*cap(c.bits) + 4*cap(c.norms) + 2*cap(c.stores) + 4*cap(c.from) + 4*cap(c.ords) + cap(c.flags))
}

// vectorCache bounds the memory of decoded blocks over all shards of a host. When
// it is full, blocks that nobody used for a while make room; without such,
// further blocks are decoded for every search that needs them. Safe for
// concurrent use.
type vectorCache struct {
	now    func() time.Time
	budget int64

	mu    sync.Mutex
	bytes int64
	kept  map[*vectorBlock]*keptBlock
}

type keptBlock struct {
	bytes int64
	last  atomic.Int64 // second of the last use
}

// idleBlock is how long a block stays although others need its room.
const idleBlock = 30 * time.Second

func newVectorCache(budget int64, now func() time.Time) *vectorCache {
	return &vectorCache{now: now, budget: budget, kept: make(map[*vectorBlock]*keptBlock)}
}

func (v *vectorCache) used(b *vectorBlock) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if k := v.kept[b]; k != nil {
		k.last.Store(v.now().Unix())
	}
}

// keep makes the rows those of the block if there is room.
func (v *vectorCache) keep(b *vectorBlock, rows *vectorRows) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	if v.bytes+rows.bytes > v.budget {
		for other, k := range v.kept {
			if now.Unix()-k.last.Load() > int64(idleBlock/time.Second) {
				v.drop(other, k)
			}
		}
	}
	if b.gone.Load() || v.bytes+rows.bytes > v.budget {
		return
	}
	k := &keptBlock{bytes: rows.bytes}
	k.last.Store(now.Unix())
	v.kept[b] = k
	v.bytes += rows.bytes
	b.rows.Store(rows)
}

func (v *vectorCache) drop(b *vectorBlock, k *keptBlock) {
	b.rows.Store(nil)
	v.bytes -= k.bytes
	delete(v.kept, b)
}

// retire lets go of the blocks of a replaced version that the next one, nil at
// the end of a shard, does not share. Readers of the old one decode them again.
func (v *vectorCache) retire(old, next *vectorTable) {
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
