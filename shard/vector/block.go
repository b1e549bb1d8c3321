package vector

import (
	"sync"
	"sync/atomic"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// Vectors are compared in memory, in blocks of ordinals. A block is decoded when
// it is first needed and shared by all versions in which its rows are the same.

// Shift makes blocks of 2^12 ordinals.
const Shift = 12

// Table lists the blocks of one version by number.
type Table struct{ blocks []*Block }

// Block is the place of one block; its rows never change.
type Block struct {
	rows    atomic.Pointer[Rows]
	loading sync.Mutex
	gone    atomic.Bool // replaced in the newest version: not kept any more
}

// Rows are the decoded rows of a block.
type Rows struct {
	Columns map[Form]*Column
	bytes   int64
}

// Form tells vectors apart that cannot be compared. One embedder has those
// of several lengths when its dimensions changed after users gave vectors, which
// stay as they are; an entry without vectors has length 0.
type Form struct {
	Embedder   string
	dimensions int
	quantized  bool
}

// Column is what one embedder has for the documents of a block in one form.
type Column struct {
	Form
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

// NewTable has one block, not loaded, for every place where documents are.
func NewTable(live docset.Set) *Table {
	t := &Table{}
	if last, ok := live.Max(); ok {
		t.grow(int(last>>Shift) + 1)
	}
	return t
}

func (t *Table) grow(n int) {
	for len(t.blocks) < n {
		t.blocks = append(t.blocks, &Block{})
	}
}

// Changed returns the table after the rows of some blocks changed.
func (t *Table) Changed(blocks map[uint32]struct{}) *Table {
	if len(blocks) == 0 {
		return t
	}
	next := &Table{blocks: append([]*Block(nil), t.blocks...)}
	for b := range blocks {
		next.grow(int(b) + 1)
		next.blocks[b] = &Block{}
	}
	return next
}

// Rows returns the rows of a block, from memory or by load.
func (t *Table) Rows(number int, cache *Cache, load func(uint32) (*Rows, error)) (*Rows, error) {
	b := t.blocks[number]
	if rows := b.rows.Load(); rows != nil {
		cache.used(b)
		return rows, nil
	}
	b.loading.Lock()
	defer b.loading.Unlock()
	if rows := b.rows.Load(); rows != nil {
		return rows, nil
	}
	rows, err := load(uint32(number))
	if err == nil {
		cache.keep(b, rows)
	}
	return rows, err
}

// Len is the number of blocks.
func (t *Table) Len() int { return len(t.blocks) }

// NewRows begins the rows of a block.
func NewRows() *Rows { return &Rows{Columns: map[Form]*Column{}} }

// Seal ends the rows; nothing is added from then on.
func (r *Rows) Seal() {
	for _, column := range r.Columns {
		column.from = append(column.from, uint32(column.len()))
		r.bytes += column.memory()
	}
}

// Add appends what a document has for one embedder; ordinals must ascend.
func (r *Rows) Add(ord uint32, e *record.Embedding) {
	key := Form{Embedder: e.Name}
	if e.Len() > 0 {
		key.dimensions, key.quantized = e.Dimensions, e.Quantized
	}
	c := r.Columns[key]
	if c == nil {
		c = &Column{Form: key, words: (key.dimensions + 63) / 64}
		r.Columns[key] = c
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
func (r *Rows) like(embedder string, dimensions int) *Column {
	if c := r.Columns[Form{embedder, dimensions, false}]; c != nil {
		return c
	}
	return r.Columns[Form{embedder, dimensions, true}]
}

// len is the number of vectors.
func (c *Column) len() int { return len(c.stores) }

func (c *Column) memory() int64 {
	return int64(4*cap(c.values) + 8*cap(c.bits) + 4*cap(c.norms) + 2*cap(c.stores) + 4*cap(c.from) + 4*cap(c.ords) + cap(c.flags))
}
