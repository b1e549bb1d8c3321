package vector

import (
	"errors"
	"math"
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
	// bytes are those of the rows that were made last: what to expect of others.
	bytes *atomic.Int64
}

// Block is the place of one block; its rows never change.
type Block struct {
	rows    atomic.Pointer[Rows]
	loading sync.Mutex
	gone    atomic.Bool // replaced in the newest version: not kept any more
	// compared counts the documents that were compared where they are stored.
	compared atomic.Int64
	// before are the rows of the block that this one replaced, nil when they were not
	// kept; changed are the documents whose rows are others, ascending. The cache guards
	// both.
	before  *Rows
	changed []uint32
	// file is the name of that with the rows, nil when there is none.
	file atomic.Pointer[string]
}

// Rows are the rows of a block as they are compared.
type Rows struct {
	columns map[Form]*Column
	bytes   int64
	vector  []float32 // for add
	// buffer is what codes of rows alias that are not kept; see Cache.release.
	buffer []byte
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
	// The codes of the vectors (code.go), stride int8 numbers each, with their scales, the
	// norms of the vectors and those of what is missing.
	codes   []byte
	scales  []float32
	norms   []float32
	missing []float32
	stride  int
	bits    []uint64 // in place of codes when quantized: words per vector
	words   int
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

// Changed returns the table after the rows of some documents changed.
func (t *Table) Changed(documents docset.Set) *Table {
	if documents.Empty() {
		return t
	}
	last, _ := documents.Max()
	next := &Table{blocks: append([]*Block(nil), t.blocks...), bytes: t.bytes}
	next.grow(int(last>>Shift) + 1)
	for _, s := range next.shares(documents) {
		next.blocks[s.block] = &Block{changed: s.ordinals}
	}
	return next
}

// Rows returns the rows of a block for a reader of so many of its documents, who gives
// them back (Cache.release). nil: these are better read where they are stored, since there
// is no room for the block, or since few of its documents were read so far.
func (t *Table) Rows(number, documents int, cache *Cache, source Source) (*Rows, error) {
	b := t.blocks[number]
	if rows := b.rows.Load(); rows != nil {
		cache.used(b)
		return rows, nil
	}
	before, changed := cache.before(b)
	switch file, room, compared := b.file.Load(), cache.hasRoom(t.bytes.Load()), b.compared.Add(int64(documents)); {
	case before != nil || file != nil && room:
	case file != nil && documents >= readFrom:
		return cache.read(b, *file, true), nil
	case !room || compared < encodeFrom:
		return nil, nil
	}
	b.loading.Lock()
	defer b.loading.Unlock()
	if rows := b.rows.Load(); rows != nil {
		return rows, nil
	}
	var rows *Rows
	var err error
	if before != nil {
		rows, err = patch(before, changed, source)
	} else if file := b.file.Load(); file != nil {
		rows = cache.read(b, *file, false)
	}
	if rows == nil && err == nil {
		rows, err = encode(uint32(number), source, cache.budget)
	}
	if err != nil {
		return nil, err
	}
	t.bytes.Store(rows.bytes)
	if rows.columns == nil {
		return nil, nil
	}
	cache.keep(b, rows)
	return rows, nil
}

// Unfiled returns the rows of a block that searches have asked for and that is in no file:
// those in memory, or made for the caller where there was no room for them. make is nil
// for all other blocks. unchanged is equal as long as the rows of the block are the same.
func (t *Table) Unfiled(number int, source Source) (unchanged any, make func() (*Rows, error)) {
	b := t.blocks[number]
	rows := b.rows.Load()
	if b.file.Load() != nil || rows == nil && b.compared.Load() < encodeFrom {
		return nil, nil
	}
	return b, func() (*Rows, error) {
		if rows != nil {
			return rows, nil
		}
		made, err := encode(uint32(number), source, largestSheet)
		if err == nil && made.columns == nil {
			b.compared.Store(math.MinInt64) // nobody asks again
			return nil, nil
		}
		return made, err
	}
}

// largestSheet is how many bytes of rows are put into a file.
const largestSheet = 64 << 20

// File is the name of the file that has the rows of a block, "" without one.
func (t *Table) File(number int) string {
	if f := t.blocks[number].file.Load(); f != nil {
		return *f
	}
	return ""
}

// Filed tells that a file has the rows of a block.
func (t *Table) Filed(number int, file string) {
	if number < len(t.blocks) {
		t.blocks[number].file.Store(&file)
	}
}

// readFrom is how many documents of a block are read where they are stored before reading
// the codes of the whole block from its file costs less.
const readFrom = 1 << Shift / 16

// encodeFrom is how many documents of a block are read where they are stored before
// making the codes of the whole block costs less.
const encodeFrom = 1 << Shift / 8

// Source reads the rows of one version of a shard.
type Source interface {
	// VisitVectors calls visit with the stored form of the embeddings
	// (record.AppendEmbeddings) of those of some documents that have any, in the order
	// of their ordinals, which ascend. stored is valid during the call.
	VisitVectors(ordinals []uint32, visit func(ord uint32, stored []byte) error) error
}

// encode makes the rows of a block. They have no columns when they would take more than
// so many bytes.
func encode(number uint32, source Source, most int64) (*Rows, error) {
	rows := newRows()
	err := source.VisitVectors(blockOrdinals(number), func(ord uint32, stored []byte) error {
		err := record.EachStored(stored, func(e *record.StoredEmbedding) { rows.add(ord, e) })
		if err == nil && rows.bytes > most {
			err = errTooLarge
		}
		return err
	})
	if errors.Is(err, errTooLarge) {
		return &Rows{bytes: rows.bytes}, nil
	}
	rows.seal()
	return rows, err
}

var errTooLarge = errors.New("the codes of a block do not fit into the cache")

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
func newRows() *Rows { return &Rows{columns: map[Form]*Column{}} }

// seal ends the rows; nothing is added from then on.
func (r *Rows) seal() {
	r.vector = nil
	for _, c := range r.columns {
		c.from = append(c.from, uint32(c.len()))
		c.codes, c.bits = exactly(c.codes), exactly(c.bits)
	}
	r.size()
}

func (r *Rows) size() {
	r.bytes = 0
	for _, c := range r.columns {
		r.bytes += c.memory()
	}
}

// exactly returns a list without much room behind its end.
func exactly[E any](list []E) []E {
	if cap(list)-len(list) <= len(list)/32 {
		return list
	}
	return append(make([]E, 0, len(list)), list...)
}

// add appends what a document has for one embedder; ordinals must ascend.
func (r *Rows) add(ord uint32, e *record.StoredEmbedding) {
	key := Form{Embedder: string(e.Name)}
	if e.Len() > 0 {
		key.dimensions, key.quantized = e.Dimensions, e.Quantized
	}
	c := r.columns[key]
	if c == nil {
		c = newColumn(key)
		r.columns[key] = c
	}
	c.ords, c.flags, c.from = append(c.ords, ord), append(c.flags, flagsOf(e)), append(c.from, uint32(c.len()))
	r.bytes += int64(e.Len()) * int64(c.stride)
	for i := range e.Len() {
		c.stores = append(c.stores, uint16(e.Store(i)))
		if e.Quantized {
			c.bits = e.AppendBits(c.bits, i)
			continue
		}
		r.vector = e.AppendValues(r.vector[:0], i)
		var scale, missing float32
		norm := record.Norm(r.vector)
		c.codes, scale, missing = appendCode(c.codes, r.vector, norm)
		c.scales, c.norms, c.missing = append(c.scales, scale), append(c.norms, norm), append(c.missing, missing)
	}
}

func newColumn(f Form) *Column {
	return &Column{Form: f, stride: strideOf(f.dimensions), words: (f.dimensions + 63) / 64}
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
	if c := r.columns[Form{embedder, dimensions, false}]; c != nil {
		return c
	}
	return r.columns[Form{embedder, dimensions, true}]
}

// len is the number of vectors.
func (c *Column) len() int { return len(c.stores) }

func (c *Column) memory() int64 {
	return int64(cap(c.codes) + 8*cap(c.bits) + 4*(cap(c.scales)+cap(c.norms)+cap(c.missing)) + 2*cap(c.stores) + 4*cap(c.from) + 4*cap(c.ords) + cap(c.flags))
}
