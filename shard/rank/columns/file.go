package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"

	"shoal/shard/docset"
)

// A column file is a sequence of pieces, each followed by its checksum, then the map
// of the pieces, its checksum, and a tail of fixed length:
//
//	pieces | map | checksum | length of the map (4 bytes) | magic (8 bytes)
//
// Pieces are about as large as a memory page, so that a search reads little more than
// it needs. Numbers are little-endian. A file never changes.
const (
	fileMagic = "shoalcf4"
	// Older formats: unmixedMagic files do not list the documents in which words share
	// a code. unpairedMagic files list no pairs either.
	unmixedMagic  = "shoalcf3"
	unpairedMagic = "shoalcf2"
	tailBytes     = 4 + len(fileMagic)
	// pieceBytes is the size at which a piece of lists, names or orders is full.
	pieceBytes = 4 << 10
	// maxMapBytes bounds the map of a file.
	maxMapBytes = 64 << 20
	// setRefBytes is the length of a reference to a set: its piece (4 bytes), its first
	// value in it (2), its length minus one (2), its bit (1).
	setRefBytes = 4 + 2 + 2 + 1
)

// errTooLarge reports a block whose columns do not fit into a file.
var errTooLarge = errors.New("rank: columns of one block take more than 4 GiB")

// fileWriter writes the pieces of a file in sequence.
type fileWriter struct {
	w    io.Writer
	at   uint64
	refs []pieceRef
	err  error
	buf  []byte

	lists           []byte // the present piece of lists
	listsAt         uint32
	names, prefixes namePages
	order           orderPages
	mixed           mixedDocs
}

// pieceRef locates a piece in its file.
type pieceRef struct {
	at, size uint32
	kind     pieceKind
}

// reserve returns the number of a piece that is written later.
func (w *fileWriter) reserve(kind pieceKind) uint32 {
	w.refs = append(w.refs, pieceRef{kind: kind})
	return uint32(len(w.refs) - 1)
}

// fill writes a reserved piece.
func (w *fileWriter) fill(n uint32, b []byte) {
	at := w.at
	w.write(b)
	w.refs[n].at, w.refs[n].size = uint32(at), uint32(len(b)+sumBytes)
}

// write writes bytes and their checksum.
func (w *fileWriter) write(b []byte) {
	if w.err != nil {
		return
	}
	if w.at += uint64(len(b)) + sumBytes; w.at > 1<<32-1 {
		w.err = errTooLarge
		return
	}
	w.buf = binary.LittleEndian.AppendUint32(append(w.buf[:0], b...), crc32.Checksum(b, pieceTable))
	_, w.err = w.w.Write(w.buf)
}

// set writes the documents of one bit and appends a reference to ref.
func (w *fileWriter) set(ref []byte, bit int, docs []uint16) []byte {
	n, at := uint32(0), 0
	if len(docs) > maxList {
		n = w.reserve(pieceBitset)
		w.fill(n, bitsetOf(docs))
	} else {
		if len(w.lists)+2*len(docs) > 2*maxList {
			w.endLists()
		}
		if len(w.lists) == 0 {
			w.listsAt = w.reserve(pieceLists)
		}
		n, at = w.listsAt, len(w.lists)/2
		for _, v := range docs {
			w.lists = binary.LittleEndian.AppendUint16(w.lists, v)
		}
		if len(w.lists) >= pieceBytes {
			w.endLists()
		}
	}
	ref = binary.LittleEndian.AppendUint32(ref, n)
	ref = binary.LittleEndian.AppendUint16(ref, uint16(at))
	ref = binary.LittleEndian.AppendUint16(ref, uint16(len(docs)-1))
	return append(ref, byte(bit))
}

func bitsetOf(docs []uint16) []byte {
	b := make([]byte, 8*docset.Words)
	for _, v := range docs {
		b[v>>3] |= 1 << (v & 7)
	}
	return b
}

func (w *fileWriter) endLists() {
	if len(w.lists) > 0 {
		w.fill(w.listsAt, w.lists)
		w.lists = w.lists[:0]
	}
}

// namePages are the pages of the words or of the prefixes. A page has the number of its
// names and their offsets, then the names with their sets.
type namePages struct {
	first  []string // of each page
	number []uint32 // of the names before it
	piece  []uint32
	total  uint32

	offsets []uint16
	body    []byte
}

// add appends a name to the pages, with references to the sets of its fields and
// places.
func (w *fileWriter) add(p *namePages, name string, fields, places []byte) {
	if len(p.offsets) == 0 {
		p.first, p.number = append(p.first, name), append(p.number, p.total)
	}
	p.total++
	p.offsets = append(p.offsets, uint16(len(p.body)))
	p.body = binary.LittleEndian.AppendUint16(p.body, uint16(len(name)))
	p.body = append(p.body, byte(len(fields)/setRefBytes), byte(len(places)/setRefBytes))
	p.body = append(append(append(p.body, name...), fields...), places...)
	if len(p.body)+2*len(p.offsets) >= pieceBytes {
		w.endNames(p)
	}
}

func (w *fileWriter) endNames(p *namePages) {
	if len(p.offsets) == 0 {
		return
	}
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(p.offsets)))
	for _, at := range p.offsets {
		b = binary.LittleEndian.AppendUint16(b, at+uint16(2+2*len(p.offsets)))
	}
	n := w.reserve(pieceNames)
	w.fill(n, append(b, p.body...))
	p.piece = append(p.piece, n)
	p.offsets, p.body = p.offsets[:0], p.body[:0]
}

// orderPages are the pieces with the word order of documents. A piece has the number of
// its documents, their low halves, where their codes start, and the codes.
type orderPages struct {
	first []uint16 // document of each piece
	piece []uint32

	lows   []uint16
	starts []uint32
	codes  []uint16
}

// addOrder appends the codes of a document.
func (w *fileWriter) addOrder(low uint16, codes []uint16) {
	o := &w.order
	if len(o.lows) == 0 {
		o.first = append(o.first, low)
	}
	o.lows, o.starts = append(o.lows, low), append(o.starts, uint32(len(o.codes)))
	if o.codes = append(o.codes, codes...); 2*len(o.codes) >= pieceBytes {
		w.endOrder()
	}
}

func (w *fileWriter) endOrder() {
	o := &w.order
	if len(o.lows) == 0 {
		return
	}
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(o.lows)))
	for _, low := range o.lows {
		b = binary.LittleEndian.AppendUint16(b, low)
	}
	for _, at := range append(o.starts, uint32(len(o.codes))) {
		b = binary.LittleEndian.AppendUint32(b, at)
	}
	for _, c := range o.codes {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	n := w.reserve(pieceOrder)
	w.fill(n, b)
	o.piece = append(o.piece, n)
	o.lows, o.starts, o.codes = o.lows[:0], o.starts[:0], o.codes[:0]
}

// close writes unfinished pieces, the map and the tail.
func (w *fileWriter) close(block uint16, docs docset.Container, pairs *pairLists) error {
	w.endLists()
	w.endNames(&w.names)
	w.endNames(&w.prefixes)
	w.endOrder()
	pages := pairs.write(w)
	m := binary.LittleEndian.AppendUint16(nil, block)
	set := docs.AppendBinary(nil)
	m = append(binary.AppendUvarint(m, uint64(len(set))), set...)
	m = binary.AppendUvarint(m, uint64(len(w.refs)))
	for _, r := range w.refs {
		m = append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(m, r.at), r.size), byte(r.kind))
	}
	for _, p := range []*namePages{&w.names, &w.prefixes} {
		m = binary.AppendUvarint(binary.AppendUvarint(m, uint64(p.total)), uint64(len(p.first)))
		for i, name := range p.first {
			m = append(binary.AppendUvarint(m, uint64(len(name))), name...)
			m = binary.AppendUvarint(binary.AppendUvarint(m, uint64(p.number[i])), uint64(p.piece[i]))
		}
	}
	m = binary.AppendUvarint(m, uint64(len(w.order.first)))
	for i, low := range w.order.first {
		m = binary.AppendUvarint(binary.AppendUvarint(m, uint64(low)), uint64(w.order.piece[i]))
	}
	m = w.mixed.appendMap(pairs.appendMap(m, pages))
	w.write(m)
	if w.err != nil {
		return w.err
	}
	_, err := w.w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(m))), fileMagic...))
	return err
}

// serials counts opened files.
var serials atomic.Uint64

// OpenBlock opens a file of size bytes written by BuildBlock. It reads through cache,
// and maps the file if it is one of the operating system. The caller closes the file
// after the columns. The error is ErrDamaged for an incomplete file.
func OpenBlock(file io.ReaderAt, size int64, cache *PieceCache) (*BlockColumns, error) {
	tail := make([]byte, tailBytes)
	if size < int64(tailBytes) {
		return nil, ErrDamaged
	}
	if err := readFull(file, tail, size-int64(tailBytes)); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail)) + sumBytes
	magic := string(tail[4:])
	if magic != fileMagic && magic != unmixedMagic && magic != unpairedMagic || n > maxMapBytes || n+int64(tailBytes) > size {
		return nil, ErrDamaged
	}
	b := make([]byte, n)
	if err := readFull(file, b, size-int64(tailBytes)-n); err != nil {
		return nil, err
	}
	body, err := checked(b)
	if err != nil {
		return nil, err
	}
	d := mapDecoder{rest: body}
	out := d.columns(uint64(size))
	if magic != unpairedMagic {
		d.pairs(out)
	}
	if magic == fileMagic {
		d.mixed(out)
	}
	if d.bad || len(d.rest) > 0 {
		return nil, ErrDamaged
	}
	out.from, out.cache, out.size = file, cache, size
	out.serial = serials.Add(1)
	out.openMapping(file, size)
	cache.opened()
	return out, nil
}

func readFull(file io.ReaderAt, b []byte, at int64) error {
	if n, err := file.ReadAt(b, at); n < len(b) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// mapDecoder decodes the map of a file. After invalid input, bad is set and all results
// are zero.
type mapDecoder struct {
	rest []byte
	bad  bool
}

func (d *mapDecoder) bytes(n uint64) []byte {
	if d.bad || n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *mapDecoder) number() uint64 {
	n, w := binary.Uvarint(d.rest)
	if w <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[w:]
	return n
}

// count reads the number of elements that take at least one byte each.
func (d *mapDecoder) count() int {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return 0
	}
	return int(n)
}

func (d *mapDecoder) columns(size uint64) *BlockColumns {
	c := &BlockColumns{}
	if b := d.bytes(2); b != nil {
		c.block = binary.LittleEndian.Uint16(b)
	}
	docs, rest, err := docset.DecodeContainer(d.bytes(d.number()))
	if d.bad = d.bad || err != nil || len(rest) > 0; d.bad {
		return c
	}
	c.docs = docs
	n := d.count()
	c.refs = make([]pieceRef, 0, n)
	for range n {
		b := d.bytes(9)
		if b == nil {
			return c
		}
		r := pieceRef{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), pieceKind(b[8])}
		d.bad = d.bad || uint64(r.at)+uint64(r.size) > size
		c.refs = append(c.refs, r)
	}
	c.words, c.prefixes = d.names(), d.names()
	c.slots = make([]atomic.Pointer[piece], n)
	for range d.count() {
		c.firsts, c.orders = append(c.firsts, uint16(d.number())), append(c.orders, uint32(d.number()))
	}
	return c
}

func (d *mapDecoder) names() (p pageIndex) {
	p.total = int(d.number())
	n := d.count()
	for range n {
		p.first = append(p.first, string(d.bytes(d.number())))
		p.number, p.piece = append(p.number, uint32(d.number())), append(p.piece, uint32(d.number()))
	}
	return p
}
