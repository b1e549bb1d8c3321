package record

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Embedding is what one embedder has for a document: Values holds vectors of
// Dimensions numbers each, one after the other. No vectors at all is a decision
// too (the document opted out).
type Embedding struct {
	Name string
	// UserProvided: the vectors, or their absence, were given with the document.
	// Regenerate: they are made anew when the document changes.
	UserProvided, Regenerate bool
	// Quantized: every number is 1 or -1.
	Quantized  bool
	Dimensions int
	Values     []float32
	// Stores numbers the vectors: those of fragments have the number of theirs. nil
	// stands for 0, 1, 2 ...
	Stores []uint16
	// Inputs are hashes of what vectors with Regenerate were made of, parallel to
	// the vectors, or one for all that the user gave; 0 is not known.
	Inputs []uint64
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

// Store returns the number of the i-th vector.
func (e *Embedding) Store(i int) int {
	if e.Stores == nil {
		return i
	}
	return int(e.Stores[i])
}

// Input returns the hash of what the vector of a store was made of, 0 when that
// is not known.
func (e *Embedding) Input(store int) uint64 {
	if e.UserProvided {
		if len(e.Inputs) > 0 {
			return e.Inputs[0]
		}
		return 0
	}
	for i := range min(e.Len(), len(e.Inputs)) {
		if e.Store(i) == store {
			return e.Inputs[i]
		}
	}
	return 0
}

// Quantize keeps the sign of each number only: 1 above 0, else -1.
func (e *Embedding) Quantize() {
	e.Quantized = true
	for i, x := range e.Values {
		e.Values[i] = -1
		if x > 0 {
			e.Values[i] = 1
		}
	}
}

// Flags of the stored form.
const (
	embeddingRegenerate = 1 << iota
	embeddingUser
	embeddingQuantized
	embeddingStores
	embeddingInputs
	embeddingFlags // end
)

// AppendEmbeddings appends the stored form of a document's embeddings, by name:
//
//	count uvarint, then per embedding: name length uvarint, name, flags(1),
//	dimensions uvarint, vectors uvarint, store uvarint per vector (if flagged),
//	inputs uvarint and 8 bytes each (if flagged), little-endian f32s, or when
//	quantized one bit per number, each vector in whole bytes
//
// A document without embeddings has an empty form. The list is sorted in place.
func AppendEmbeddings(dst []byte, list []Embedding) []byte {
	if len(list) == 0 {
		return dst
	}
	slices.SortFunc(list, func(a, b Embedding) int { return strings.Compare(a.Name, b.Name) })
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for i := range list {
		dst = list[i].append(dst)
	}
	return dst
}

func (e *Embedding) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(e.Name)))
	dst = append(dst, e.Name...)
	flags := byte(0)
	for i, set := range [...]bool{e.Regenerate, e.UserProvided, e.Quantized, e.Stores != nil, e.Inputs != nil} {
		if set {
			flags |= 1 << i
		}
	}
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(e.Dimensions))
	dst = binary.AppendUvarint(dst, uint64(e.Len()))
	for _, s := range e.Stores {
		dst = binary.AppendUvarint(dst, uint64(s))
	}
	if e.Inputs != nil {
		dst = binary.AppendUvarint(dst, uint64(len(e.Inputs)))
		for _, h := range e.Inputs {
			dst = binary.LittleEndian.AppendUint64(dst, h)
		}
	}
	if !e.Quantized {
		return AppendStored(dst, e.Values)
	}
	for i := range e.Len() {
		dst = AppendStoredBits(dst, e.Vector(i))
	}
	return dst
}

// ParseEmbeddings reads what AppendEmbeddings wrote. The result does not alias
// data.
func ParseEmbeddings(data []byte) ([]Embedding, error) {
	var list []Embedding
	err := EachStored(data, func(s *StoredEmbedding) { list = append(list, s.decode()) })
	if err != nil {
		return nil, err
	}
	return list, nil
}
