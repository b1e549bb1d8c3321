package record

import (
	"encoding/binary"
	"math"
	"slices"
)

// StoredEmbedding is an Embedding in its stored form. It aliases the bytes it was read
// from.
type StoredEmbedding struct {
	// Name is the name of the embedder.
	Name []byte
	// UserProvided, Regenerate, Quantized and Dimensions are those of Embedding.
	UserProvided, Regenerate, Quantized bool
	Dimensions                          int
	// Stores are the stores of the vectors, as in Embedding.
	Stores []uint16

	n      int
	hashes []byte // 8 per input
	inputs bool
	raw    []byte
	width  int // bytes per vector
}

// Len returns the number of vectors.
func (s *StoredEmbedding) Len() int { return s.n }

// Store returns the store of the i-th vector.
func (s *StoredEmbedding) Store(i int) int {
	if s.Stores == nil {
		return i
	}
	return int(s.Stores[i])
}

// Vector returns the i-th vector in stored form: little-endian f32s, or if quantized
// one bit per number in whole bytes.
func (s *StoredEmbedding) Vector(i int) []byte { return s.raw[i*s.width : (i+1)*s.width] }

// EachStored calls visit for each of a document's embeddings in data, the output of
// AppendEmbeddings. The argument is valid only during the call. Damage may be found
// after some calls.
func EachStored(data []byte, visit func(*StoredEmbedding)) error {
	if len(data) == 0 {
		return nil
	}
	r := byteReader{data: data, ok: true}
	count := r.number(len(data))
	var s StoredEmbedding
	for ; count > 0 && r.ok; count-- {
		if r.embedding(&s); r.ok {
			visit(&s)
		}
	}
	if !r.ok || len(r.data) != 0 {
		return ErrCorrupt
	}
	return nil
}

// maxNumbers bounds the numbers of one decoded embedding.
const maxNumbers = 1 << 28

func (r *byteReader) embedding(s *StoredEmbedding) {
	name := r.bytes(r.number(len(r.data)))
	flags := r.bytes(1)[0]
	*s = StoredEmbedding{
		Name: name, Dimensions: r.number(maxNumbers), n: r.number(maxNumbers), Stores: s.Stores[:0],
		Regenerate: flags&embeddingRegenerate != 0, UserProvided: flags&embeddingUser != 0, Quantized: flags&embeddingQuantized != 0,
		inputs: flags&embeddingInputs != 0,
	}
	if !r.ok || flags >= embeddingFlags || s.n > 0 && s.Dimensions == 0 || s.n > 0 && s.Dimensions > maxNumbers/s.n {
		r.ok = false
		return
	}
	switch {
	case flags&embeddingStores == 0:
		s.Stores = nil
	default:
		if s.Stores == nil {
			s.Stores = []uint16{}
		}
		for i := 0; i < s.n && r.ok; i++ {
			s.Stores = append(s.Stores, uint16(r.number(math.MaxUint16)))
		}
	}
	if s.inputs {
		s.hashes = r.bytes(8 * r.number(len(r.data)/8))
	}
	if s.width = 4 * s.Dimensions; s.Quantized {
		s.width = (s.Dimensions + 7) / 8
	}
	s.raw = r.bytes(s.n * s.width)
}

// decode returns a copy as an Embedding.
func (s *StoredEmbedding) decode() Embedding {
	e := Embedding{Name: string(s.Name), UserProvided: s.UserProvided, Regenerate: s.Regenerate, Quantized: s.Quantized, Dimensions: s.Dimensions}
	if s.Stores != nil {
		e.Stores = append(make([]uint16, 0, len(s.Stores)), s.Stores...)
	}
	if s.inputs {
		e.Inputs = make([]uint64, len(s.hashes)/8)
		for i := range e.Inputs {
			e.Inputs[i] = binary.LittleEndian.Uint64(s.hashes[8*i:])
		}
	}
	if s.n == 0 {
		return e
	}
	e.Values = make([]float32, 0, s.n*s.Dimensions)
	for i := range s.n {
		e.Values = s.AppendValues(e.Values, i)
	}
	return e
}

// AppendValues appends the numbers of the i-th vector; those of a quantized one are 1
// and -1.
func (s *StoredEmbedding) AppendValues(dst []float32, i int) []float32 {
	raw := s.Vector(i)
	at := len(dst)
	dst = slices.Grow(dst, s.Dimensions)[:at+s.Dimensions]
	out := dst[at:]
	if !s.Quantized {
		for k := range out {
			out[k] = storedAt(raw, k)
		}
		return dst
	}
	for k := range out {
		out[k] = -1
		if raw[k/8]>>(k%8)&1 != 0 {
			out[k] = 1
		}
	}
	return dst
}

// AppendBits appends the bits of the i-th vector, which must be quantized, in whole
// words like the function AppendBits.
func (s *StoredEmbedding) AppendBits(dst []uint64, i int) []uint64 {
	raw := s.Vector(i)
	for len(raw) >= 8 {
		dst, raw = append(dst, binary.LittleEndian.Uint64(raw)), raw[8:]
	}
	if len(raw) > 0 {
		var word [8]byte
		copy(word[:], raw)
		dst = append(dst, binary.LittleEndian.Uint64(word[:]))
	}
	return dst
}

// byteReader decodes possibly damaged input. ok is false after damage.
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
		return make([]byte, 8)
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}
