package record

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// Writer collects the occurrences of one document and writes its token record.
// Reuse it for the next document: its buffers stay. For one goroutine.
type Writer struct {
	text   []byte // all words, one after the other
	places []place
	fields []FieldTokens
	buf    []byte
	offs   []int
}

type place struct {
	off   uint32
	head  uint32 // first four bytes of the word, big-endian, for sorting
	len   uint16
	exact bool
	at    Occurrence
}

// Add records one occurrence of word (at most 65,535 bytes; it is copied) and
// counts it for its field. The same place may be added once only.
func (w *Writer) Add(word string, fid, position uint16, exact bool) {
	p := place{off: uint32(len(w.text)), len: uint16(len(word)), exact: exact, at: Occurrence{fid, position}}
	for i := 0; i < 4; i++ {
		p.head <<= 8
		if i < len(word) {
			p.head |= uint32(word[i])
		}
	}
	w.text = append(w.text, word...)
	w.places = append(w.places, p)
	// The texts of a field mostly come together.
	if n := len(w.fields); n > 0 && w.fields[n-1].Field == fid {
		w.fields[n-1].Tokens++
		return
	}
	w.fields = append(w.fields, FieldTokens{Field: fid, Tokens: 1})
}

// sumFields sorts the counts by field and joins those of the same one.
func (w *Writer) sumFields() {
	slices.SortStableFunc(w.fields, func(a, b FieldTokens) int { return cmp.Compare(a.Field, b.Field) })
	sums := w.fields[:0]
	for _, f := range w.fields {
		if n := len(sums); n > 0 && sums[n-1].Field == f.Field {
			sums[n-1].Tokens += f.Tokens
			continue
		}
		sums = append(sums, f)
	}
	w.fields = sums
}

// Empty tells whether nothing was added since the last Finish.
func (w *Writer) Empty() bool { return len(w.places) == 0 }

func (w *Writer) word(p *place) []byte { return w.text[p.off : p.off+uint32(p.len)] }

// Finish appends the record of everything added to dst and makes the writer
// ready for the next document. A document without words has an empty record.
func (w *Writer) Finish(dst []byte) []byte {
	if len(w.places) == 0 {
		return dst
	}
	slices.SortFunc(w.places, func(a, b place) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		if c := bytes.Compare(w.word(&a), w.word(&b)); c != 0 {
			return c
		}
		if a.at.Field != b.at.Field {
			return cmp.Compare(a.at.Field, b.at.Field)
		}
		return cmp.Compare(a.at.Position, b.at.Position)
	})
	w.sumFields()
	words := w.writeWords()
	dst = w.writeHead(dst, words)
	dst = append(dst, w.buf...)
	w.text, w.places, w.fields, w.buf, w.offs = w.text[:0], w.places[:0], w.fields[:0], w.buf[:0], w.offs[:0]
	return dst
}

func (w *Writer) writeHead(dst []byte, words int) []byte {
	wide := len(w.offs) > 0 && w.offs[len(w.offs)-1] > 1<<16-1
	if wide {
		dst = append(dst, wideOffsets)
	} else {
		dst = append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(words))
	dst = binary.AppendUvarint(dst, uint64(len(w.fields)))
	last := uint16(0)
	for _, f := range w.fields {
		dst = binary.AppendUvarint(dst, uint64(f.Field-last))
		dst = binary.AppendUvarint(dst, uint64(f.Tokens))
		last = f.Field
	}
	for _, off := range w.offs {
		if wide {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(off))
		} else {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(off))
		}
	}
	return dst
}

// writeWords fills buf and offs and returns the number of distinct words.
func (w *Writer) writeWords() int {
	words := 0
	var prev []byte
	for i := 0; i < len(w.places); words++ {
		word := w.word(&w.places[i])
		j := i + 1
		for j < len(w.places) && w.places[j].head == w.places[i].head && bytes.Equal(w.word(&w.places[j]), word) {
			j++
		}
		shared := 0
		if words%restartEvery == 0 {
			w.offs = append(w.offs, len(w.buf))
		} else {
			for shared < len(prev) && shared < len(word) && prev[shared] == word[shared] {
				shared++
			}
		}
		w.writeWord(word, shared)
		w.writePlaces(w.places[i:j])
		prev, i = word, j
	}
	return words
}

func (w *Writer) writeWord(word []byte, shared int) {
	suffix := len(word) - shared
	w.buf = append(w.buf, byte(min(shared, 15)<<4|min(suffix, 15)))
	if shared >= 15 {
		w.buf = binary.AppendUvarint(w.buf, uint64(shared-15))
	}
	if suffix >= 15 {
		w.buf = binary.AppendUvarint(w.buf, uint64(suffix-15))
	}
	w.buf = append(w.buf, word[shared:]...)
}

func (w *Writer) writePlaces(places []place) {
	var flags byte
	for i := range places {
		if places[i].exact {
			flags |= Exact
		} else {
			flags |= Tolerant
		}
	}
	n := len(places) - 1
	w.buf = append(w.buf, byte(min(n, 63)<<2)|flags)
	if n >= 63 {
		w.buf = binary.AppendUvarint(w.buf, uint64(n-63))
	}
	fid, pos := uint16(0), uint16(0)
	for i := range places {
		at := places[i].at
		if i > 0 && at.Field == fid {
			w.buf = binary.AppendUvarint(w.buf, uint64(at.Position-pos)<<1|1)
		} else {
			w.buf = binary.AppendUvarint(w.buf, uint64(at.Field-fid)<<1)
			w.buf = binary.AppendUvarint(w.buf, uint64(at.Position))
		}
		fid, pos = at.Field, at.Position
	}
}
