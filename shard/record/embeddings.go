package record

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Embedding is what one embedder has for a document: Values holds vectors of
// Dimensions numbers each, one after the other. No vectors at all is a decision
// too (the document opted out).
type Embedding struct {
	Name       string
	Regenerate bool
	Dimensions int
	Values     []float32
}

// Len returns the number of vectors.
func (e *Embedding) Len() int {
	if e.Dimensions == 0 {
		return 0
	}
	return len(e.Values) / e.Dimensions
}

// Vector returns the i-th vector; it aliases Values.
func (e *Embedding) Vector(i int) []float32 {
	return e.Values[i*e.Dimensions : (i+1)*e.Dimensions : (i+1)*e.Dimensions]
}

// AppendEmbeddings appends the stored form of a document's embeddings, by name:
//
//	count uvarint, then per embedding: name length uvarint, name, flags(1),
//	dimensions uvarint, vectors uvarint, little-endian f32s
//
// A document without embeddings has an empty form. The list is sorted in place.
func AppendEmbeddings(dst []byte, list []Embedding) []byte {
	if len(list) == 0 {
		return dst
	}
	slices.SortFunc(list, func(a, b Embedding) int { return strings.Compare(a.Name, b.Name) })
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for i := range list {
		e := &list[i]
		dst = binary.AppendUvarint(dst, uint64(len(e.Name)))
		dst = append(dst, e.Name...)
		flags := byte(0)
		if e.Regenerate {
			flags = 1
		}
		dst = append(dst, flags)
		dst = binary.AppendUvarint(dst, uint64(e.Dimensions))
		dst = binary.AppendUvarint(dst, uint64(e.Len()))
		for _, x := range e.Values {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
	}
	return dst
}

// ParseEmbeddings reads what AppendEmbeddings wrote. The result does not alias
// data.
func ParseEmbeddings(data []byte) ([]Embedding, error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := byteReader{data: data, ok: true}
	count := r.number(len(data))
	list := make([]Embedding, 0, count)
	for ; count > 0 && r.ok; count-- {
		e := Embedding{Name: string(r.bytes(r.number(len(data))))}
		flags := r.bytes(1)
		e.Dimensions = r.number(len(data))
		n := r.number(len(data))
		if !r.ok || flags[0] > 1 || n > 0 && e.Dimensions == 0 || n*e.Dimensions > len(r.data)/4 {
			return nil, ErrCorrupt
		}
		e.Regenerate = flags[0] == 1
		raw := r.bytes(4 * n * e.Dimensions)
		if n > 0 {
			e.Values = make([]float32, n*e.Dimensions)
		}
		for i := range e.Values {
			e.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		list = append(list, e)
	}
	if !r.ok || len(r.data) != 0 {
		return nil, ErrCorrupt
	}
	return list, nil
}

// byteReader reads from damaged input too: ok tells whether all went well.
type byteReader struct {
	data []byte
	ok   bool
}

// number reads a uvarint of at most limit.
func (r *byteReader) number(limit int) int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > uint64(limit) {
		r.ok = false
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}

func (r *byteReader) bytes(n int) []byte {
	if n > len(r.data) {
		r.ok = false
		return make([]byte, 1)
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}
