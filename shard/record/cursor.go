package record

import (
	"encoding/binary"
	"strings"
)

// Cursor iterates over the words of a record in byte order. For one goroutine. It
// allocates only its word buffer; Reset it for the next record.
type Cursor struct {
	Entry
	t    Tokens
	rest []byte // unread part of the words
	next int    // number of the next word
	word []byte
}

// Entry is one word of a record.
type Entry struct {
	flags uint8
	n     int
	occ   []byte
}

// Cursor returns a cursor before the first word.
func (t Tokens) Cursor() Cursor { return Cursor{t: t, rest: t.words} }

// Reset moves the cursor before the first word of another record and keeps its buffer.
func (c *Cursor) Reset(t Tokens) {
	c.t, c.rest, c.next, c.word = t, t.words, 0, c.word[:0]
	c.Entry = Entry{}
}

// Word returns the present word, valid until the cursor moves.
func (c *Cursor) Word() []byte { return c.word }

// Next moves to the next word. It returns false at the end.
func (c *Cursor) Next() bool {
	if c.next >= c.t.count {
		return false
	}
	shared, suffix, rest, ok := wordHead(c.rest)
	if !ok || shared > len(c.word) || suffix > len(rest) {
		return c.damaged()
	}
	c.word = append(c.word[:shared], rest[:suffix]...)
	if !c.occurrences(rest[suffix:]) {
		return c.damaged()
	}
	c.next++
	return true
}

// damaged ends the iteration.
func (c *Cursor) damaged() bool {
	c.next = c.t.count
	c.word, c.Entry = c.word[:0], Entry{}
	return false
}

// occurrences reads the present word's flags and skips its occurrences.
func (c *Cursor) occurrences(data []byte) (ok bool) {
	c.Entry, c.rest, ok = readEntry(data)
	return ok
}

// readEntry reads a word's flags and occurrences and returns the rest.
func readEntry(data []byte) (e Entry, rest []byte, ok bool) {
	if len(data) == 0 {
		return Entry{}, nil, false
	}
	e.flags, e.n = data[0]&3, int(data[0]>>2)
	data = data[1:]
	if e.n == 63 {
		more, n := binary.Uvarint(data)
		if n <= 0 || more > uint64(len(data)) {
			return Entry{}, nil, false
		}
		e.n += int(more)
		data = data[n:]
	}
	e.n++
	at := 0
	for range e.n {
		same, ok := skip(data, &at)
		if !ok {
			return Entry{}, nil, false
		}
		if !same {
			if _, ok := skip(data, &at); !ok {
				return Entry{}, nil, false
			}
		}
	}
	e.occ = data[:at]
	return e, data[at:], true
}

// skip skips one uvarint and returns its lowest bit.
func skip(data []byte, at *int) (low, ok bool) {
	i := *at
	if i >= len(data) {
		return false, false
	}
	low = data[i]&1 != 0
	for data[i] >= 0x80 {
		if i++; i >= len(data) {
			return false, false
		}
	}
	*at = i + 1
	return low, true
}

// Seek moves to the first word >= word, which must not be before the present word. It
// returns false at the end. Ascending seeks over one record cost at most one iteration.
func (c *Cursor) Seek(word string) bool {
	if c.next > 0 && compare(c.word, word) >= 0 && c.n > 0 {
		return true
	}
	if c.next >= c.t.count {
		return false
	}
	from := c.next / restartEvery
	if at := c.t.seekRestart(from, word); at > from || c.next == 0 {
		off := c.t.restart(at)
		if off < 0 {
			return c.damaged()
		}
		c.rest, c.next, c.word = c.t.words[off:], at*restartEvery, c.word[:0]
	}
	for c.Next() {
		if compare(c.word, word) >= 0 {
			return true
		}
	}
	return false
}

// Prefix calls f for every word that starts with prefix, in byte order, until f returns
// false. The word is valid only during the call.
func (t Tokens) Prefix(prefix string, f func(word []byte, e Entry) bool) {
	c := t.Cursor()
	for ok := c.Seek(prefix); ok && len(c.word) >= len(prefix) && string(c.word[:len(prefix)]) == prefix; ok = c.Next() {
		if !f(c.word, c.Entry) {
			return
		}
	}
}

// Each calls f for every word in byte order until f returns false. The word is valid
// only during the call.
func (t Tokens) Each(f func(word []byte, e Entry) bool) { t.Prefix("", f) }

// Strings returns all words, for tests and tools.
func (t Tokens) Strings() []string {
	var out []string
	t.Each(func(w []byte, _ Entry) bool {
		out = append(out, strings.Clone(string(w)))
		return true
	})
	return out
}

// Tolerant reports whether the word has an occurrence that is not exact.
func (e Entry) Tolerant() bool { return e.flags&Tolerant != 0 }

// Exact reports whether the word has an exact occurrence.
func (e Entry) Exact() bool { return e.flags&Exact != 0 }

// Flags returns Tolerant and Exact.
func (e Entry) Flags() uint8 { return e.flags }

// Len returns the number of occurrences.
func (e Entry) Len() int { return e.n }

// Places returns an iterator over the occurrences.
func (e Entry) Places() Places { return Places{rest: e.occ} }

// AppendTo appends the occurrences, by field and position, to buf.
func (e Entry) AppendTo(buf []Occurrence) []Occurrence {
	p := e.Places()
	for o, ok := p.Next(); ok; o, ok = p.Next() {
		buf = append(buf, o)
	}
	return buf
}

// Places iterates over the occurrences of one word by field and position. The zero
// value is at the end. For one goroutine.
type Places struct {
	rest []byte
	cur  Occurrence
}

// Next returns the next occurrence. ok is false at the end.
func (p *Places) Next() (o Occurrence, ok bool) {
	if len(p.rest) == 0 {
		return Occurrence{}, false
	}
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.rest = nil
		return Occurrence{}, false
	}
	p.rest = p.rest[n:]
	if v&1 != 0 {
		p.cur.Position += uint16(v >> 1)
		return p.cur, true
	}
	pos, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.rest = nil
		return Occurrence{}, false
	}
	p.rest = p.rest[n:]
	p.cur = Occurrence{Field: p.cur.Field + uint16(v>>1), Position: uint16(pos)}
	return p.cur, true
}
