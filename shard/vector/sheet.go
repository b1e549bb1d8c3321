package vector

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// A sheet is the file format of the rows of a block:
//
//	sheetMagic, name length uvarint, name, columns uvarint, then per column:
//	embedder length uvarint, embedder, dimensions uvarint, quantized(1), documents uvarint,
//	vectors uvarint, rows u32 each, flags, first vectors u32 for each document and
//	their end, stores u16 each, then scales, norms, missing f32 each and the codes, or the
//	bits u64 each if quantized; at the end the xxhash of everything. All little-endian.
//
// name is that of the file, so that no file is mistaken for another one.
const sheetMagic = "shoal codes 1\n"

// ErrSheet reports that a sheet is damaged or is another one.
var ErrSheet = errors.New("the codes of vectors are damaged")

// AppendSheet appends the sheet of the rows.
func (r *Rows) AppendSheet(dst []byte, name string) []byte {
	at := len(dst)
	dst = appendText(append(dst, sheetMagic...), name)
	dst = binary.AppendUvarint(dst, uint64(len(r.columns)))
	for _, form := range slices.SortedFunc(maps.Keys(r.columns), Form.compare) {
		c := r.columns[form]
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
		for _, list := range [][]float32{c.scales, c.norms, c.missing} {
			for _, x := range list {
				dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
			}
		}
		dst = append(dst, c.codes...)
		for _, x := range c.bits {
			dst = binary.LittleEndian.AppendUint64(dst, x)
		}
	}
	return binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(dst[at:]))
}

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

// parseSheet reads a sheet. The codes alias data.
func parseSheet(data []byte, name string) (*Rows, error) {
	n := len(data) - 8
	if n < len(sheetMagic) || string(data[:len(sheetMagic)]) != sheetMagic || xxhash.Sum64(data[:n]) != binary.LittleEndian.Uint64(data[n:]) {
		return nil, ErrSheet
	}
	s := sheetReader{data: data[len(sheetMagic):n]}
	if s.text() != name {
		return nil, ErrSheet
	}
	rows := newRows()
	for columns := s.number(); columns > 0 && !s.bad; columns-- {
		c := s.column()
		rows.columns[c.Form] = c
	}
	if s.bad || len(s.data) > 0 {
		return nil, ErrSheet
	}
	rows.size()
	return rows, nil
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

func (s *sheetReader) column() *Column {
	form := Form{Embedder: s.text(), dimensions: s.number()}
	form.quantized = string(s.bytes(1)) == "\x01"
	c := newColumn(form)
	documents, vectors := s.number(), s.number()
	c.ords, c.flags, c.from = s.uint32s(documents), s.bytes(documents), s.uint32s(documents+1)
	raw := s.bytes(2 * vectors)
	c.stores = make([]uint16, len(raw)/2)
	for i := range c.stores {
		c.stores[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	if !form.quantized {
		c.scales, c.norms, c.missing = s.float32s(vectors), s.float32s(vectors), s.float32s(vectors)
		c.codes = s.bytes(vectors * c.stride)
		return c
	}
	raw = s.bytes(8 * vectors * c.words)
	c.bits = make([]uint64, len(raw)/8)
	for i := range c.bits {
		c.bits[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return c
}
