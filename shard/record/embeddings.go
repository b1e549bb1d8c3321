package record

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Embedding is the data of one embedder for a document. Values holds vectors of
// Dimensions numbers each, one after the other. An embedding without vectors has a
// meaning, too: the document opted out.
type Embedding struct {
	Name string
	// UserProvided: the vectors, or their absence, were given with the document.
	// Regenerate: they are computed again when the document changes.
	UserProvided, Regenerate bool
	// Quantized: every number is 1 or -1.
	Quantized  bool
	Dimensions int
	Values     []float32
	// Stores are the stores of the vectors; a vector of a fragment has the fragment's
	// number. nil means 0, 1, 2 ...
	Stores []uint16
	// Inputs are hashes of the inputs of vectors with Regenerate: one per vector, or a
	// single one if the user gave the vectors. 0 means unknown.
	Inputs []uint64
}

// Len returns the number of vectors.
func (e *Embedding) Len() int {
	if e.Dimensions == 0 {
		return 0
	}
	return len(e.Values) / e.Dimensions
}

// Vector returns the i-th vector, which aliases Values.
func (e *Embedding) Vector(i int) []float32 {
	return e.Values[i*e.Dimensions : (i+1)*e.Dimensions : (i+1)*e.Dimensions]
}

// Store returns the store of the i-th vector.
func (e *Embedding) Store(i int) int {
	if e.Stores == nil {
		return i
	}
	return int(e.Stores[i])
}

// Input returns the hash of the input of a store's vector, 0 if unknown.
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

// Quantize keeps only the sign of each number: 1 above 0, else -1.
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
//	inputs uvarint and 8 bytes each (if flagged), little-endian f32s, or if
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

// ParseEmbeddings decodes the output of AppendEmbeddings. The result does not alias
// data.
func ParseEmbeddings(data []byte) ([]Embedding, error) {
	var list []Embedding
	err := EachStored(data, func(s *StoredEmbedding) { list = append(list, s.decode()) })
	if err != nil {
		return nil, err
	}
	return list, nil
}
