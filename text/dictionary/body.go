package dictionary

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/ikawaha/kagome-dict/dict"
)

// writer appends the parts of a body.
type writer struct{ b []byte }

func (w *writer) int32(n int32) { w.b = binary.LittleEndian.AppendUint32(w.b, uint32(n)) }
func (w *writer) length(n int)  { w.int32(int32(n)) }
func (w *writer) flags(f []bool) {
	w.length(len(f))
	for _, set := range f {
		n := byte(0)
		if set {
			n = 1
		}
		w.b = append(w.b, n)
	}
}

func (w *writer) morphs(list dict.Morphs) {
	w.length(len(list))
	for _, m := range list {
		for _, n := range [...]int16{m.LeftID, m.RightID, m.Weight} {
			w.b = binary.LittleEndian.AppendUint16(w.b, uint16(n))
		}
	}
}

func (w *writer) numbers(m map[int32]int32) {
	w.length(len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.int32(k)
		w.int32(m[k])
	}
}

var errTooLong = errors.New("a length is out of bounds")

// reader reads the parts of a body. After an error it returns zeros and empty lists.
type reader struct {
	from *bufio.Reader
	buf  [4]byte
	err  error
}

func (r *reader) take(n int) []byte {
	if r.err == nil {
		_, r.err = io.ReadFull(r.from, r.buf[:n])
	}
	if r.err != nil {
		clear(r.buf[:])
	}
	return r.buf[:n]
}

func (r *reader) int16() int16 { return int16(binary.LittleEndian.Uint16(r.take(2))) }
func (r *reader) int32() int32 { return int32(binary.LittleEndian.Uint32(r.take(4))) }

// length reads the length of a list whose elements take size bytes each.
func (r *reader) length(size int) int {
	n := int(r.int32())
	if n < 0 || n*size > maxBody {
		r.err, n = errors.Join(r.err, errTooLong), 0
	}
	return n
}

func (r *reader) bytes() []byte {
	b := make([]byte, r.length(1))
	if r.err == nil {
		_, r.err = io.ReadFull(r.from, b)
	}
	return b
}

func (r *reader) flags() []bool {
	b := r.bytes()
	flags := make([]bool, len(b))
	for i := range b {
		flags[i] = b[i] != 0
	}
	return flags
}

func (r *reader) morphs() dict.Morphs {
	list := make(dict.Morphs, r.length(6))
	for i := range list {
		list[i] = dict.Morph{LeftID: r.int16(), RightID: r.int16(), Weight: r.int16()}
	}
	return list
}

func (r *reader) numbers() map[int32]int32 {
	n := r.length(8)
	m := make(map[int32]int32, n)
	for range n {
		k := r.int32()
		m[k] = r.int32()
	}
	return m
}
