package vector

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// A sheet is the file format of the rows of a block: a head, then for each column the upper
// halves of all codes and the lower halves of all codes, or the bits u64 each if quantized. The
// part of one vector in any of them is an item. The head is
//
//	sheetMagic, length of the head u32, name length uvarint, name, columns uvarint, then per
//	column: embedder length uvarint, embedder, dimensions uvarint, quantized(1), documents
//	uvarint, vectors uvarint, rows u32 each, flags, first vectors u32 for each document and
//	their end, stores u16 each, unless quantized scales, norms, missing, coarse f32 each, then
//	a sum u32 for the first item of each vector, unless quantized one for each second; at the
//	end its own xxhash.
//
// All little-endian. name is that of the file, so that no file is mistaken for another
// one. The head alone says where the items are, and each item has its own sum, so a search
// reads those that its filter chose, and upper halves before lower ones.
const sheetMagic = "shoal codes 4\n"

// SheetForm is the number of the file format. Files of other formats are computed again.
const SheetForm = 4

// ErrSheet reports that a sheet is damaged or is another one.
var ErrSheet = errors.New("the codes of vectors are damaged")

// AppendSheet appends the sheet of the rows.
func (r *Rows) AppendSheet(dst []byte, name string) []byte {
	at := len(dst)
	dst = append(append(dst, sheetMagic...), 0, 0, 0, 0)
	dst = binary.AppendUvarint(appendText(dst, name), uint64(len(r.columns)))
	forms := slices.SortedFunc(maps.Keys(r.columns), Form.compare)
	var body []byte
	for _, form := range forms {
		c := r.columns[form]
		items := c.items()
		dst = c.appendHead(dst, items)
		body = append(append(body, items[0]...), items[1]...)
	}
	binary.LittleEndian.PutUint32(dst[at+len(sheetMagic):], uint32(len(dst)+8-at))
	dst = binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(dst[at:]))
	return append(dst, body...)
}

// appendHead appends the part of the head for a column with the given items.
func (c *Column) appendHead(dst []byte, items [2][]byte) []byte {
	dst = binary.AppendUvarint(appendText(dst, c.Embedder), uint64(c.dimensions))
	quantized := byte(0)
	if c.quantized {
		quantized = 1
	}
	dst = binary.AppendUvarint(append(dst, quantized), uint64(len(c.ords)))
	dst = binary.AppendUvarint(dst, uint64(c.len()))
	dst = append(appendUint32s(dst, c.ords), c.flags...)
	dst = appendUint32s(dst, c.from)
	for _, s := range c.stores {
		dst = binary.LittleEndian.AppendUint16(dst, s)
	}
	for _, list := range [][]float32{c.scales, c.norms, c.missing, c.coarse} {
		for _, x := range list {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
	}
	for i, size := range c.itemSizes() {
		for at := 0; size > 0 && at < len(items[i]); at += size {
			dst = binary.LittleEndian.AppendUint32(dst, sumOf(items[i][at:at+size]))
		}
	}
	return dst
}

// items returns the items of the vectors: both halves of their codes, or their bits and
// nothing.
func (c *Column) items() [2][]byte {
	if !c.quantized {
		return [2][]byte{c.upper, c.lower}
	}
	words := make([]byte, 0, 8*len(c.bits))
	for _, x := range c.bits {
		words = binary.LittleEndian.AppendUint64(words, x)
	}
	return [2][]byte{words}
}

// itemSizes returns the sizes of both items of a vector in bytes.
func (c *Column) itemSizes() [2]int {
	if c.quantized {
		return [2]int{8 * c.words}
	}
	return [2]int{c.half, c.half}
}

// sumOf returns the sum of an item.
func sumOf(item []byte) uint32 { return uint32(xxhash.Sum64(item)) }

// compare orders forms by their fields.
func (f Form) compare(o Form) int {
	quantized := 0
	if f.quantized != o.quantized {
		if quantized = -1; f.quantized {
			quantized = 1
		}
	}
	return cmp.Or(cmp.Compare(f.Embedder, o.Embedder), cmp.Compare(f.dimensions, o.dimensions), quantized)
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendUint32s(dst []byte, list []uint32) []byte {
	for _, x := range list {
		dst = binary.LittleEndian.AppendUint32(dst, x)
	}
	return dst
}

// span is a range [lo, hi) of the documents of a column.
type span struct{ lo, hi int }

// selection is what is read of a column.
type selection struct {
	// spans are the documents whose codes are read, in order. nil means that no codes are
	// read, and all documents stay in the column.
	spans []span
	// halved: only the upper halves of their codes are. The spans are all documents then.
	halved bool
}

// choice returns what is read of a column.
type choice func(c *Column) selection

// everything chooses all codes.
func everything(c *Column) selection { return selection{spans: []span{{0, len(c.ords)}}} }

// halves chooses the upper halves of all codes.
func halves(c *Column) selection { return selection{everything(c).spans, !c.quantized} }

// nothing chooses no codes.
func nothing(*Column) selection { return selection{} }

// codesFor chooses the codes of an embedder that can be compared with vectors of the
// given dimensions, those of the ascending rows, or the upper halves of all if there are none.
func codesFor(embedder string, dimensions int, rows []uint32) choice {
	return func(c *Column) selection {
		switch {
		case c.Embedder != embedder || c.dimensions != dimensions:
			return selection{}
		case rows == nil:
			return halves(c)
		}
		spans, i := []span{}, 0
		for _, row := range rows {
			n, found := slices.BinarySearch(c.ords[i:], row)
			if i += n; !found {
				continue
			}
			if last := len(spans) - 1; last >= 0 && spans[last].hi == i {
				spans[last].hi++
			} else {
				spans = append(spans, span{i, i + 1})
			}
			i++
		}
		return selection{spans: spans}
	}
}

// buffer is the memory for what is read of a sheet. kept means that codes get memory of their
// own, which outlives the buffer.
type buffer struct {
	data []byte
	kept bool
}

// codes returns memory for n bytes of codes.
func (b *buffer) codes(n int) []byte {
	if b.kept {
		return make([]byte, n)
	}
	from := len(b.data)
	b.data = slices.Grow(b.data, n)[:from+n]
	return b.data[from : from+n : from+n]
}

// readSheet reads the chosen codes of a sheet. The rows alias the buffer, unless kept is set.
func readSheet(file io.ReaderAt, name string, chosen choice, b *buffer) (*Rows, error) {
	const fixed = len(sheetMagic) + 4
	data := slices.Grow(b.data[:0], fixed)[:fixed]
	if err := readFull(file, data, 0); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(data[len(sheetMagic):]))
	if string(data[:len(sheetMagic)]) != sheetMagic || n < fixed+8 || n > largestSheet {
		return nil, ErrSheet
	}
	data = slices.Grow(data, n-fixed)[:n]
	b.data = data
	if err := readFull(file, data[fixed:], int64(fixed)); err != nil {
		return nil, err
	}
	if xxhash.Sum64(data[:n-8]) != binary.LittleEndian.Uint64(data[n-8:]) {
		return nil, ErrSheet
	}
	s := sheetReader{data: data[fixed : n-8]}
	if s.text() != name {
		return nil, ErrSheet
	}
	rows, at := newRows(), int64(n)
	for columns := s.number(); columns > 0 && !s.bad; columns-- {
		c, sums := s.column()
		if s.bad {
			break
		}
		sizes := c.itemSizes()
		end := at + int64(c.len()*(sizes[0]+sizes[1]))
		if wanted := chosen(c); wanted.spans != nil {
			var err error
			if c, err = c.readCodes(file, at, sums, wanted, b); err != nil {
				return nil, err
			}
		}
		rows.columns[c.Form], at = c, end
	}
	if s.bad || len(s.data) > 0 {
		return nil, ErrSheet
	}
	rows.size()
	return rows, nil
}

// readCodes returns the column of the documents that are wanted with their codes, which begin
// at a place of the file and are read into the buffer.
func (c *Column) readCodes(file io.ReaderAt, at int64, sums [2][]uint32, wanted selection, b *buffer) (*Column, error) {
	out, sizes := c, c.itemSizes()
	if len(wanted.spans) != 1 || wanted.spans[0] != (span{0, len(c.ords)}) {
		out = newColumn(c.Form)
		for _, s := range wanted.spans {
			out.takeHeads(c, s.lo, s.hi)
		}
		out.from = append(out.from, uint32(out.len()))
	} else {
		c.sums, c.lowerAt = sums[1], at+int64(c.len()*sizes[0])
	}
	if wanted.halved {
		sizes[1] = 0
	}
	var items [2][]byte
	for i, size := range sizes {
		if size == 0 {
			continue
		}
		items[i] = b.codes(out.len() * size)
		rest := items[i]
		for _, s := range wanted.spans {
			first, last := int(c.from[s.lo]), int(c.from[s.hi])
			n := (last - first) * size
			if err := readItems(file, rest[:n], at+int64(first*size), size, sums[i][first:]); err != nil {
				return nil, err
			}
			rest = rest[n:]
		}
		at += int64(c.len() * size)
	}
	if !c.quantized {
		if out.upper = items[0]; !wanted.halved {
			out.lower = items[1]
		}
		return out, nil
	}
	out.bits = make([]uint64, len(items[0])/8)
	for i := range out.bits {
		out.bits[i] = binary.LittleEndian.Uint64(items[0][8*i:])
	}
	return out, nil
}

// readItems reads items from a place of a file, and checks their sums.
func readItems(file io.ReaderAt, data []byte, at int64, size int, sums []uint32) error {
	if err := readFull(file, data, at); err != nil {
		return err
	}
	for i := 0; len(data) > 0; i++ {
		if sumOf(data[:size]) != sums[i] {
			return ErrSheet
		}
		data = data[size:]
	}
	return nil
}

// readFull reads from a place of a file. A file that is too short is damaged.
func readFull(file io.ReaderAt, data []byte, at int64) error {
	if n, err := file.ReadAt(data, at); n == len(data) {
		return nil
	} else if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return ErrSheet
}

// sheetReader decodes a sheet with a valid checksum. bad means that it is invalid
// nevertheless.
type sheetReader struct {
	data []byte
	bad  bool
}

func (s *sheetReader) number() int {
	v, n := binary.Uvarint(s.data)
	if n <= 0 || v > 1<<40 {
		s.bad = true
		return 0
	}
	s.data = s.data[n:]
	return int(v)
}

func (s *sheetReader) bytes(n int) []byte {
	if n < 0 || n > len(s.data) {
		s.bad, s.data = true, nil
		return nil
	}
	out := s.data[:n:n]
	s.data = s.data[n:]
	return out
}

func (s *sheetReader) text() string { return string(s.bytes(s.number())) }

func (s *sheetReader) uint32s(n int) []uint32 {
	raw := s.bytes(4 * n)
	out := make([]uint32, len(raw)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return out
}

func (s *sheetReader) float32s(n int) []float32 {
	raw := s.bytes(4 * n)
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

// column reads the head of a column, and the sums of its items.
func (s *sheetReader) column() (c *Column, sums [2][]uint32) {
	form := Form{Embedder: s.text(), dimensions: s.number()}
	form.quantized = string(s.bytes(1)) == "\x01"
	c = newColumn(form)
	documents, vectors := s.number(), s.number()
	c.ords, c.flags, c.from = s.uint32s(documents), s.bytes(documents), s.uint32s(documents+1)
	raw := s.bytes(2 * vectors)
	c.stores = make([]uint16, len(raw)/2)
	for i := range c.stores {
		c.stores[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	if !form.quantized {
		c.scales, c.norms, c.missing, c.coarse = s.float32s(vectors), s.float32s(vectors), s.float32s(vectors), s.float32s(vectors)
	}
	if sums[0] = s.uint32s(vectors); !form.quantized {
		sums[1] = s.uint32s(vectors)
	}
	return c, sums
}
