package record

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"shoal/shard/symbol"
)

// Writer collects the occurrences of one document and writes its token record. Reuse it
// for the next document: it keeps its buffers and the numbers of words. For one
// goroutine.
type Writer struct {
	words symbol.Table
	// used are the distinct words of the document in order of appearance. at has the
	// index of each by number; for other numbers its value is arbitrary.
	used   []usedWord
	at     []uint32
	places []place
	// written: the document is written, and the next occurrence starts another one.
	written bool
	// mixed: places do not ascend by field and position.
	mixed  bool
	fields []FieldTokens
	// Scratch space of Finish.
	order  []wordKey
	sorted []Occurrence
	buf    []byte
	offs   []int
}

type usedWord struct {
	head   uint64 // symbol.Head
	number uint32
	n      uint32 // of occurrences
	end    uint32 // end of its occurrences in sorted
	flags  uint8
}

type place struct {
	word uint32 // index in used
	at   Occurrence
}

type wordKey struct {
	head uint64
	at   uint32 // index in used
}

// Words numbers the words of all documents. The caller may add words, and should reset
// it between two documents before there are too many.
func (w *Writer) Words() *symbol.Table { return &w.words }

// Add records one occurrence of word (at most 65,535 bytes; it is copied) and counts it
// for its field. A position may be added only once.
func (w *Writer) Add(word string, fid, position uint16, exact bool) {
	if w.written {
		w.begin()
	}
	flags := uint8(Tolerant)
	if exact {
		flags = Exact
	}
	w.place(word, Occurrence{fid, position}, flags)
	// The texts of a field usually come together.
	if n := len(w.fields); n > 0 && w.fields[n-1].Field == fid {
		w.fields[n-1].Tokens++
		return
	}
	w.fields = append(w.fields, FieldTokens{Field: fid, Tokens: 1})
}

// AddForm records another form of the word that was added last, at the same place. It does not
// count for the field.
func (w *Writer) AddForm(form string) {
	w.place(form, w.places[len(w.places)-1].at, Tolerant)
}

// place records an occurrence of a word.
func (w *Writer) place(word string, at Occurrence, flags uint8) {
	u := w.use(word)
	w.used[u].n++
	w.used[u].flags |= flags
	if n := len(w.places); n > 0 && at.before(w.places[n-1].at) {
		w.mixed = true
	}
	w.places = append(w.places, place{u, at})
}

// before is the order of stored occurrences.
func (o Occurrence) before(p Occurrence) bool {
	return o.Field < p.Field || o.Field == p.Field && o.Position < p.Position
}

// begin starts another document.
func (w *Writer) begin() {
	w.written, w.mixed = false, false
	w.used, w.places, w.fields = w.used[:0], w.places[:0], w.fields[:0]
}

// use returns the index of a word in used.
func (w *Writer) use(word string) uint32 {
	number := w.words.NumberOf(word)
	if int(number) >= len(w.at) {
		w.at = append(w.at, make([]uint32, max(64, w.words.Len()-len(w.at), len(w.at)/2))...)
	}
	at := w.at[number]
	if int(at) >= len(w.used) || w.used[at].number != number {
		at = uint32(len(w.used))
		w.at[number] = at
		w.used = append(w.used, usedWord{head: symbol.Head(word), number: number})
	}
	return at
}

// sumFields sorts the counts by field and adds up those of the same field.
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

// Empty reports whether nothing was added since the last Finish.
func (w *Writer) Empty() bool { return w.written || len(w.places) == 0 }

// Finish appends the record of everything added to dst and resets the writer for the
// next document. A document without words has an empty record.
func (w *Writer) Finish(dst []byte) []byte {
	if w.Empty() {
		w.begin()
		return dst
	}
	w.sort()
	w.sumFields()
	w.writeWords()
	dst = w.writeHead(dst, len(w.used))
	dst = append(dst, w.buf...)
	w.written, w.buf, w.offs = true, w.buf[:0], w.offs[:0]
	return dst
}

// Written calls f for every word of the last record that Finish wrote, in no particular
// order, with its number in Words and its flags. Words must not have been reset since.
func (w *Writer) Written(f func(number uint32, flags uint8)) {
	for i := range w.used {
		f(w.used[i].number, w.used[i].flags)
	}
}

// sort sorts the words, and the occurrences of each.
func (w *Writer) sort() {
	w.order = w.order[:0]
	for i := range w.used {
		w.order = append(w.order, wordKey{w.used[i].head, uint32(i)})
	}
	slices.SortFunc(w.order, func(a, b wordKey) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(w.words.Name(w.used[a.at].number), w.words.Name(w.used[b.at].number))
	})
	end := uint32(0)
	for _, k := range w.order {
		u := &w.used[k.at]
		u.end = end // advanced below
		end += u.n
	}
	w.sorted = slices.Grow(w.sorted[:0], len(w.places))[:len(w.places)]
	for _, p := range w.places {
		u := &w.used[p.word]
		w.sorted[u.end] = p.at
		u.end++
	}
	if !w.mixed {
		return
	}
	for i := range w.used {
		u := &w.used[i]
		slices.SortFunc(w.sorted[u.end-u.n:u.end], func(a, b Occurrence) int {
			if a.Field != b.Field {
				return cmp.Compare(a.Field, b.Field)
			}
			return cmp.Compare(a.Position, b.Position)
		})
	}
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

// writeWords fills buf and offs.
func (w *Writer) writeWords() {
	var prev []byte
	for i, k := range w.order {
		u := &w.used[k.at]
		word := w.words.Name(u.number)
		shared := 0
		if i%restartEvery == 0 {
			w.offs = append(w.offs, len(w.buf))
		} else {
			for shared < len(prev) && shared < len(word) && prev[shared] == word[shared] {
				shared++
			}
		}
		w.writeWord(word, shared)
		w.writePlaces(w.sorted[u.end-u.n:u.end], u.flags)
		prev = word
	}
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

func (w *Writer) writePlaces(places []Occurrence, flags uint8) {
	n := len(places) - 1
	w.buf = append(w.buf, byte(min(n, 63)<<2)|flags)
	if n >= 63 {
		w.buf = binary.AppendUvarint(w.buf, uint64(n-63))
	}
	fid, pos := uint16(0), uint16(0)
	for i, at := range places {
		if i > 0 && at.Field == fid {
			w.buf = binary.AppendUvarint(w.buf, uint64(at.Position-pos)<<1|1)
		} else {
			w.buf = binary.AppendUvarint(w.buf, uint64(at.Field-fid)<<1)
			w.buf = binary.AppendUvarint(w.buf, uint64(at.Position))
		}
		fid, pos = at.Field, at.Position
	}
}
