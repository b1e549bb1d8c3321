package record

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt reports bytes that are not a record.
var ErrCorrupt = errors.New("record: corrupt record")

// The stored form of a token record:
//
//	flags(1)  bit 0: restart offsets are u32 instead of u16
//	words     uvarint
//	fields    uvarint, then per field: fid delta uvarint, tokens uvarint
//	restarts  one little-endian offset per restartEvery words, from the first word
//	words     in byte order:
//	          shared(4 bits) suffix(4 bits), 15 = 15 + uvarint follows (shared first)
//	          suffix bytes
//	          occurrences-1 (6 bits) exact(1) tolerant(1), 63 = 63 + uvarint follows
//	          occurrences: position delta<<1 | sameField, in (field, position) order;
//	          a new field is written as field delta<<1, position
//
// A word at a restart shares nothing.
const (
	wideOffsets  = 1 << 0
	restartEvery = 8

	// Tolerant marks a word with an occurrence that is not exact, Exact one with an
	// exact occurrence (spec ranking 2). A word may have both.
	Tolerant = 1 << 0
	Exact    = 1 << 1
)

// Occurrence is one occurrence of a word: field id and position, 0..65535.
type Occurrence struct {
	Field, Position uint16
}

// FieldTokens is the number of indexed tokens of one field.
type FieldTokens struct {
	Field  uint16
	Tokens uint32
}

// Tokens is a parsed token record. It aliases the stored bytes. Safe for concurrent
// use; copying is cheap.
type Tokens struct {
	count    int
	wide     bool
	fields   []byte
	nFields  int
	restarts []byte
	words    []byte
}

// Parse parses the head of a stored token record, which must not change while the
// result is used. No bytes are the record of a document without words.
func Parse(data []byte) (Tokens, error) {
	if len(data) == 0 {
		return Tokens{}, nil
	}
	t := Tokens{wide: data[0]&wideOffsets != 0}
	if data[0]&^wideOffsets != 0 {
		return Tokens{}, ErrCorrupt
	}
	data = data[1:]
	count, n := binary.Uvarint(data)
	if n <= 0 || count > uint64(len(data)) {
		return Tokens{}, ErrCorrupt
	}
	t.count, data = int(count), data[n:]
	nFields, n := binary.Uvarint(data)
	if n <= 0 || nFields > uint64(len(data)) {
		return Tokens{}, ErrCorrupt
	}
	t.nFields, data = int(nFields), data[n:]
	start := data
	for range 2 * t.nFields {
		_, n := binary.Uvarint(data)
		if n <= 0 {
			return Tokens{}, ErrCorrupt
		}
		data = data[n:]
	}
	t.fields = start[:len(start)-len(data)]
	size := t.offsetSize() * ((t.count + restartEvery - 1) / restartEvery)
	if size > len(data) {
		return Tokens{}, ErrCorrupt
	}
	t.restarts, t.words = data[:size], data[size:]
	return t, nil
}

func (t *Tokens) offsetSize() int {
	if t.wide {
		return 4
	}
	return 2
}

// Len returns the number of distinct words.
func (t Tokens) Len() int { return t.count }

// Fields calls f for every field with indexed tokens, by field id, until f returns
// false.
func (t Tokens) Fields(f func(FieldTokens) bool) {
	data, fid := t.fields, uint64(0)
	for range t.nFields {
		d, n := binary.Uvarint(data)
		c, m := binary.Uvarint(data[n:])
		data = data[n+m:]
		fid += d
		if !f(FieldTokens{Field: uint16(fid), Tokens: uint32(c)}) {
			return
		}
	}
}

// FieldTokens returns the number of indexed tokens of one field.
func (t Tokens) FieldTokens(fid uint16) int {
	out := 0
	t.Fields(func(c FieldTokens) bool {
		if c.Field == fid {
			out = int(c.Tokens)
		}
		return c.Field < fid
	})
	return out
}

// restart returns the offset of a restart point, -1 if damaged.
func (t *Tokens) restart(i int) int {
	var off int
	if t.wide {
		off = int(binary.LittleEndian.Uint32(t.restarts[4*i:]))
	} else {
		off = int(binary.LittleEndian.Uint16(t.restarts[2*i:]))
	}
	if off > len(t.words) {
		return -1
	}
	return off
}

// restartWord returns the word at a restart point, which shares nothing.
func (t *Tokens) restartWord(i int) []byte {
	off := t.restart(i)
	if off < 0 || off >= len(t.words) {
		return nil
	}
	_, n, rest, ok := wordHead(t.words[off:])
	if !ok || n > len(rest) {
		return nil
	}
	return rest[:n]
}

// wordHead reads how much a word shares with its predecessor and the length of its
// suffix.
func wordHead(data []byte) (shared, suffix int, rest []byte, ok bool) {
	if len(data) == 0 {
		return 0, 0, nil, false
	}
	shared, suffix = int(data[0]>>4), int(data[0]&15)
	data = data[1:]
	for _, v := range []*int{&shared, &suffix} {
		if *v == 15 {
			more, n := binary.Uvarint(data)
			if n <= 0 || more > 1<<16 {
				return 0, 0, nil, false
			}
			*v += int(more)
			data = data[n:]
		}
	}
	return shared, suffix, data, true
}

// Find looks up one word. It allocates nothing.
func (t Tokens) Find(word string) (e Entry, ok bool) {
	if t.count == 0 {
		return Entry{}, false
	}
	at := t.seekRestart(0, word)
	off := t.restart(at)
	if off < 0 {
		return Entry{}, false
	}
	data := t.words[off:]
	// match is the common prefix of the present word, which is smaller, and the wanted
	// one. So words are never assembled.
	match := 0
	for i := at * restartEvery; i < t.count; i++ {
		shared, suffix, rest, ok := wordHead(data)
		if !ok || suffix > len(rest) || shared < match {
			return Entry{}, false
		}
		found := false
		if shared == match {
			n := lcp(rest[:suffix], word[match:])
			match += n
			switch {
			case n == suffix && match == len(word):
				found = true
			case n < suffix && (match == len(word) || rest[n] > word[match]):
				return Entry{}, false
			}
		}
		if e, data, ok = readEntry(rest[suffix:]); !ok || found {
			return e, ok
		}
	}
	return Entry{}, false
}

func lcp(a []byte, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Has reports whether the word is in the record.
func (t Tokens) Has(word string) bool {
	_, ok := t.Find(word)
	return ok
}

// seekRestart returns the last restart point, from first on, whose word is <= word.
func (t *Tokens) seekRestart(first int, word string) int {
	lo, hi := first, (t.count+restartEvery-1)/restartEvery
	for lo+1 < hi {
		mid := int(uint(lo+hi) >> 1)
		if compare(t.restartWord(mid), word) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

func compare(a []byte, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}
