package vector

import (
	"sync"
	"sync/atomic"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// Shift makes blocks of 2^12 ordinals.
const Shift = 12

// Table lists the blocks of one version by number. Versions share the blocks in which
// their rows are the same.
type Table struct {
	blocks []*Block
	// bytes are those of the rows that were decoded last: what to expect of others.
	bytes *atomic.Int64
}

// Block is the place of one block; its rows never change.
type Block struct {
	rows    atomic.Pointer[Rows]
	loading sync.Mutex
	gone    atomic.Bool // replaced in the newest version: not kept any more
	// compared counts the documents that were compared where they are stored.
	compared atomic.Int64
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
	t := &Table{bytes: &atomic.Int64{}}
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
	next := &Table{blocks: append([]*Block(nil), t.blocks...), bytes: t.bytes}
	for b := range blocks {
		next.grow(int(b) + 1)
		next.blocks[b] = &Block{}
	}
	return next
}

// Rows returns the decoded rows of a block for a reader of so many of its documents.
// nil: they are better read where they are stored, since there is no room for the block,
// or since few of its documents were read so far.
func (t *Table) Rows(number, documents int, cache *Cache, source Source) (*Rows, error) {
	b := t.blocks[number]
	if rows := b.rows.Load(); rows != nil {
		cache.used(b)
		return rows, nil
	}
	if !cache.hasRoom(t.bytes.Load()) || b.compared.Add(int64(documents)) < decodeFrom {
		return nil, nil
	}
	b.loading.Lock()
	defer b.loading.Unlock()
	if rows := b.rows.Load(); rows != nil {
		return rows, nil
	}
	rows, err := decode(uint32(number), source)
	if err == nil {
		t.bytes.Store(rows.bytes)
		cache.keep(b, rows)
	}
	return rows, err
}

// decodeFrom is how many documents of a block are read where they are stored before
// decoding the whole block costs less.
const decodeFrom = 1 << Shift / 8

// Source reads the rows of one version of a shard.
type Source interface {
	// VisitVectors calls visit with the stored form of the embeddings
	// (record.AppendEmbeddings) of those of some documents that have any, in the order
	// of their ordinals, which ascend. stored is valid during the call.
	VisitVectors(ordinals []uint32, visit func(ord uint32, stored []byte) error) error
}

func decode(number uint32, source Source) (*Rows, error) {
	rows := newRows()
	err := source.VisitVectors(blockOrdinals(number), func(ord uint32, stored []byte) error {
		return record.EachStored(stored, func(e *record.StoredEmbedding) { rows.add(ord, e) })
	})
	rows.seal()
	return rows, err
}

// blockOrdinals lists all ordinals of a block.
func blockOrdinals(number uint32) []uint32 {
	out := make([]uint32, 1<<Shift)
	for i := range out {
		out[i] = number<<Shift + uint32(i)
	}
	return out
}

// Len is the number of blocks.
func (t *Table) Len() int { return len(t.blocks) }

// newRows begins the rows of a block.
func newRows() *Rows { return &Rows{Columns: map[Form]*Column{}} }

// seal ends the rows; nothing is added from then on.
func (r *Rows) seal() {
	for _, column := range r.Columns {
		column.from = append(column.from, uint32(column.len()))
		r.bytes += column.memory()
	}
}

// add appends what a document has for one embedder; ordinals must ascend.
func (r *Rows) add(ord uint32, e *record.StoredEmbedding) {
	key := Form{Embedder: string(e.Name)}
	if e.Len() > 0 {
		key.dimensions, key.quantized = e.Dimensions, e.Quantized
	}
	c := r.Columns[key]
	if c == nil {
		c = &Column{Form: key, words: (key.dimensions + 63) / 64}
		r.Columns[key] = c
	}
	c.ords, c.flags, c.from = append(c.ords, ord), append(c.flags, flagsOf(e)), append(c.from, uint32(c.len()))
	for i := range e.Len() {
		c.stores = append(c.stores, uint16(e.Store(i)))
		if e.Quantized {
			c.bits = e.AppendBits(c.bits, i)
			continue
		}
		c.values = e.AppendValues(c.values, i)
		c.norms = append(c.norms, record.NormStored(e.Vector(i)))
	}
}

func flagsOf(e *record.StoredEmbedding) (flags uint8) {
	if e.UserProvided {
		flags |= columnUser
	}
	if e.Regenerate {
		flags |= columnRegenerate
	}
	return flags
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
