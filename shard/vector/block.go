package vector

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// Shift makes blocks of 2^12 rows.
const Shift = 12

// Table lists the blocks of one version by number. Versions share blocks with equal
// rows.
type Table struct {
	blocks []*Block
	// bytes is the size of the last computed rows, an estimate for others; least that of
	// halved ones.
	bytes, least *atomic.Int64
	halved       *atomic.Int64 // uses of halved blocks
}

// Block holds the rows of one block, which never change.
type Block struct {
	rows    atomic.Pointer[Rows]
	loading sync.Mutex
	gone    atomic.Bool // replaced in the newest version: no longer cached
	// compared counts the documents that were compared with stored vectors.
	compared atomic.Int64
	// before are the rows of the replaced block, nil if they were not cached. changed
	// are the documents whose rows differ from these, ascending. The cache guards both.
	before  *Rows
	changed []uint32
	// file is the name of the file with the rows, nil if there is none.
	file atomic.Pointer[string]
}

// Rows are the rows of a block, ready to be compared.
type Rows struct {
	columns map[Form]*Column
	bytes   int64
	vector  []float32 // scratch space of add
	file    string    // that they were read from, if any
	// buffer backs the codes of rows that are not cached; see Cache.release.
	buffer []byte
}

// Form separates vectors that cannot be compared. An embedder has vectors of several
// lengths if its dimensions changed after users gave vectors, which stay unchanged. An
// entry without vectors has length 0.
type Form struct {
	Embedder   string
	dimensions int
	quantized  bool
}

// Column is the data of one embedder for the documents of a block in one form.
type Column struct {
	Form
	// ords are the documents with an entry, ascending. Those of the i-th are the
	// vectors [from[i], from[i+1]).
	ords   []uint32
	flags  []uint8
	from   []uint32
	stores []uint16
	codes            // of the vectors
	norms  []float32 // of the vectors
	bits   []uint64  // instead of codes and norms if quantized: words per vector
	words  int
	// sums are those of the lower halves in the file that the column was read from, where
	// these begin at lowerAt. origins are the numbers there of the first vectors of documents,
	// nil if they are from.
	sums    []uint32
	origins []uint32
	lowerAt int64
}

// Flags of a document in a column.
const (
	columnUser = 1 << iota
	columnRegenerate
)

// NewTable returns a table with blocks for all documents, none of them loaded.
func NewTable(live docset.Set) *Table {
	t := &Table{bytes: &atomic.Int64{}, least: &atomic.Int64{}, halved: &atomic.Int64{}}
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
	next := &Table{blocks: append([]*Block(nil), t.blocks...), bytes: t.bytes, least: t.least, halved: t.halved}
	next.grow(int(last>>Shift) + 1)
	var rows []uint32
	for _, i := range next.with(documents) {
		rows = appendRows(rows[:0], i, documents)
		next.blocks[i] = &Block{changed: slices.Clone(rows)}
	}
	return next
}

// need is what a search needs of a block: the codes of an embedder for some documents,
// ascending, which are compared with vectors of the given dimensions.
type need struct {
	embedder   string
	dimensions int
	rows       []uint32
}

// Rows returns the rows of a block, which the caller must give to Cache.release. With a
// need, at least its codes are there; without one perhaps none. nil means that the stored
// vectors should be read instead: of very few documents, or no file has the block, and either
// there is no room for it, or few of its documents were read so far.
func (t *Table) Rows(number int, n *need, cache *Cache, source Source) (*Rows, error) {
	b := t.blocks[number]
	if rows := b.rows.Load(); rows != nil {
		cache.used(b)
		if rows.isHalved() {
			return t.complete(b, rows, cache), nil
		}
		return rows, nil
	}
	before, changed := cache.before(b)
	file, compared, size := b.file.Load(), b.compared.Add(n.documents()), t.bytes.Load()
	if file != nil {
		size = t.least.Load()
	}
	switch room := cache.hasRoom(size); {
	case before != nil || file != nil && room:
	case file != nil && n.documents() >= storedBelow:
		return cache.read(b, *file, n.choice()), nil
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
	if before != nil && before.isHalved() {
		before = cache.readAll(b, before.file, everything)
	}
	if before != nil {
		rows, err = patch(before, changed, source)
	} else if file := b.file.Load(); file != nil {
		rows = t.load(b, *file, cache)
	}
	if rows == nil && err == nil {
		rows, err = encode(uint32(number), source, cache.budget)
	}
	if err != nil {
		return nil, err
	}
	if rows.file == "" { // load measures the others
		t.bytes.Store(rows.bytes)
	}
	if rows.columns == nil {
		return nil, nil
	}
	cache.keep(b, rows)
	return rows, nil
}

// load reads the rows of a block from its file. The lower halves of their codes stay there: a first
// search after a start reads half as much. It returns nil if the file cannot be used.
func (t *Table) load(b *Block, file string, cache *Cache) *Rows {
	rows := cache.readAll(b, file, halves)
	if rows != nil {
		t.least.Store(rows.bytes)
	}
	return rows
}

// completeEach is how many uses of halved blocks there are for each one that is completed, so that
// no search waits for all of them.
const completeEach = 24

// complete reads the whole rows of a halved block if there is room and it is its turn.
func (t *Table) complete(b *Block, rows *Rows, cache *Cache) *Rows {
	file := b.file.Load()
	if file == nil || b.gone.Load() || t.halved.Add(1)%completeEach != 0 || !cache.fits(rows.bytes) || !b.loading.TryLock() {
		return rows
	}
	defer b.loading.Unlock()
	if b.rows.Load() != rows {
		return rows
	}
	whole := cache.readAll(b, *file, everything)
	if whole == nil {
		return rows
	}
	t.bytes.Store(whole.bytes)
	cache.keep(b, whole)
	return whole
}

// documents returns how many documents of a block are compared.
func (n *need) documents() int64 {
	if n == nil {
		return 1 << Shift
	}
	return int64(len(n.rows))
}

// choice returns the codes to read from a file. Many are read at once.
func (n *need) choice() choice {
	switch {
	case n == nil:
		return nothing
	case len(n.rows) >= readFrom:
		return codesFor(n.embedder, n.dimensions, nil)
	}
	return codesFor(n.embedder, n.dimensions, n.rows)
}

// Unfiled returns the rows of a block that searches use and no file holds: make returns
// those in memory, or computes them if there was no room. make is nil for all other
// blocks. unchanged is equal as long as the rows of the block are the same.
func (t *Table) Unfiled(number int, source Source) (unchanged any, make func() (*Rows, error)) {
	b := t.blocks[number]
	rows := b.rows.Load()
	if rows != nil && rows.isHalved() {
		rows = nil // its file was lost just now
	}
	if b.file.Load() != nil || rows == nil && b.compared.Load() < encodeFrom {
		return nil, nil
	}
	return b, func() (*Rows, error) {
		if rows != nil {
			return rows, nil
		}
		made, err := encode(uint32(number), source, largestSheet)
		if err == nil && made.columns == nil {
			b.compared.Store(math.MinInt64) // never file it
			return nil, nil
		}
		return made, err
	}
}

// largestSheet is the largest size of rows in a file.
const largestSheet = 64 << 20

// File returns the name of the file with the rows of a block, or "".
func (t *Table) File(number int) string {
	if f := t.blocks[number].file.Load(); f != nil {
		return *f
	}
	return ""
}

// Filed records that a file has the rows of a block.
func (t *Table) Filed(number int, file string) {
	if number < len(t.blocks) {
		t.blocks[number].file.Store(&file)
	}
}

// readFrom is the number of a block's documents above which reading the codes of all its
// documents at once is cheaper than reading those of each.
const readFrom = 1 << Shift / 16

// storedBelow is the number of a block's documents below which reading their stored vectors
// is cheaper than reading the head of a file and their codes.
const storedBelow = 4

// encodeFrom is the number of stored vectors read of a block above which computing the
// codes of the whole block is cheaper.
const encodeFrom = 1 << Shift / 8

// Source reads the rows of one version of a shard.
type Source interface {
	// VisitVectors calls visit with the stored form of embeddings
	// (record.AppendEmbeddings) for those of the ascending rows that have any, in
	// order. stored is valid during the call.
	VisitVectors(rows []uint32, visit func(ord uint32, stored []byte) error) error
}

// encode computes the rows of a block. They have no columns if they would exceed most
// bytes.
func encode(number uint32, source Source, most int64) (*Rows, error) {
	rows := newRows()
	err := source.VisitVectors(blockRows(number), func(ord uint32, stored []byte) error {
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

// blockRows lists all rows of a block.
func blockRows(number uint32) []uint32 {
	out := make([]uint32, 1<<Shift)
	for i := range out {
		out[i] = number<<Shift + uint32(i)
	}
	return out
}

// Len returns the number of blocks.
func (t *Table) Len() int { return len(t.blocks) }

// newRows returns empty rows.
func newRows() *Rows { return &Rows{columns: map[Form]*Column{}} }

// seal completes the rows. Nothing may be added afterwards.
func (r *Rows) seal() {
	r.vector = nil
	for _, c := range r.columns {
		c.from = append(c.from, uint32(c.len()))
		c.upper, c.lower, c.bits = exactly(c.upper), exactly(c.lower), exactly(c.bits)
	}
	r.size()
}

func (r *Rows) size() {
	r.bytes = 0
	for _, c := range r.columns {
		r.bytes += c.memory()
	}
}

// exactly returns a list without much spare capacity.
func exactly[E any](list []E) []E {
	if cap(list)-len(list) <= len(list)/32 {
		return list
	}
	return append(make([]E, 0, len(list)), list...)
}

// add appends the entry of a document for one embedder. Rows must ascend.
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
	r.bytes += int64(e.Len()) * int64(2*c.half)
	for i := range e.Len() {
		c.stores = append(c.stores, uint16(e.Store(i)))
		if e.Quantized {
			c.bits = e.AppendBits(c.bits, i)
			continue
		}
		r.vector = e.AppendValues(r.vector[:0], i)
		norm := record.Norm(r.vector)
		c.norms = append(c.norms, norm)
		c.codes.add(r.vector, norm)
	}
}

func newColumn(f Form) *Column {
	return &Column{Form: f, codes: codes{half: strideOf(f.dimensions) / 2}, words: (f.dimensions + 63) / 64}
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

// like returns the column that can be compared with a vector of the given dimensions,
// or nil. The vectors of an embedder are all quantized or none.
func (r *Rows) like(embedder string, dimensions int) *Column {
	if c := r.columns[Form{embedder, dimensions, false}]; c != nil {
		return c
	}
	return r.columns[Form{embedder, dimensions, true}]
}

// len returns the number of vectors.
func (c *Column) len() int { return len(c.stores) }

func (c *Column) memory() int64 {
	return int64(cap(c.upper) + cap(c.lower) + 8*cap(c.bits) + 4*(cap(c.sums)+cap(c.scales)+cap(c.norms)+cap(c.missing)+cap(c.coarse)) + 2*cap(c.stores) + 4*cap(c.from) + 4*cap(c.ords) + cap(c.flags))
}
