package jsonvalue

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Transcript rewrites JSON text into the form that Parse and AppendJSON give, without
// making values: it copies most of a text. It refuses texts that it cannot judge in one
// pass (repeated members, invalid JSON, very large objects); those have to be parsed. The
// zero value is ready. For one goroutine, any number of texts.
type Transcript struct {
	p     jsonParser
	names []span // of the members of open objects
}

// span is a part of the text.
type span struct{ start, end int }

// mostNames bounds the members of an object that are compared with one another.
const mostNames = 32

// Append appends the text of one JSON value. If the text has to be parsed, ok is false and
// nothing is appended.
func (t *Transcript) Append(dst, text []byte) (_ []byte, ok bool) {
	t.p = jsonParser{data: text}
	t.names = t.names[:0]
	out, ok := t.value(dst, 0)
	if !ok || t.p.space() {
		return dst, false
	}
	return out, true
}

// Part says how much of a member is taken.
type Part uint8

// Parts of members. Something requires the member's value, so the text has to be parsed.
const (
	Nothing Part = iota
	Something
	Everything
)

// AppendMembers appends the members of an object, separated by commas, without braces, as
// far as part asks for each. The names must all differ, as those of stored documents do. If
// the text has to be parsed, ok is false and nothing is appended. Strings that are left out
// are not checked. The name that part gets is valid during the call.
func (t *Transcript) AppendMembers(dst, object []byte, part func(name []byte) Part) (_ []byte, ok bool) {
	p := &t.p
	*p = jsonParser{data: object}
	t.names = t.names[:0]
	if !p.space() || p.data[p.pos] != '{' {
		return dst, false
	}
	p.pos++
	out := dst
	for first := true; ; first = false {
		more, err := p.separator(first, '}', ReasonEOFObject, ReasonMapCommaOrEnd)
		if err != nil || !more && p.space() {
			return dst, false
		}
		if !more {
			return out, true
		}
		before := len(out)
		if before > len(dst) {
			out = append(out, ',')
		}
		start := len(out)
		if out, ok = t.name(out); !ok {
			return dst, false
		}
		name := out[start+1 : len(out)-2] // between the quotes, before the colon
		taken := part(name)
		if taken == Something || bytes.IndexByte(name, '\\') >= 0 {
			return dst, false
		}
		if taken == Nothing && p.skipString() {
			out = out[:before]
			continue
		}
		if out, ok = t.value(out, 1); !ok {
			return dst, false
		}
		if taken == Nothing {
			out = out[:before]
		}
	}
}

func (t *Transcript) value(dst []byte, depth int) (_ []byte, ok bool) {
	p := &t.p
	if !p.space() {
		return dst, false
	}
	switch c := p.data[p.pos]; c {
	case '"':
		p.pos++
		return t.text(dst)
	case '{', '[':
		if depth+1 == maxDepth {
			return dst, false
		}
		p.pos++
		if c == '[' {
			return t.array(append(dst, '['), depth+1)
		}
		return t.object(append(dst, '{'), depth+1)
	case 'n':
		return append(dst, "null"...), p.ident("null") == nil
	case 't':
		return append(dst, "true"...), p.ident("true") == nil
	case 'f':
		return append(dst, "false"...), p.ident("false") == nil
	}
	return t.number(dst)
}

func (t *Transcript) array(dst []byte, depth int) (_ []byte, ok bool) {
	for first := true; ; first = false {
		more, err := t.p.separator(first, ']', ReasonEOFList, ReasonListCommaOrEnd)
		if err != nil {
			return dst, false
		}
		if !more {
			return append(dst, ']'), true
		}
		if !first {
			dst = append(dst, ',')
		}
		if dst, ok = t.value(dst, depth); !ok {
			return dst, false
		}
	}
}

func (t *Transcript) object(dst []byte, depth int) (_ []byte, ok bool) {
	open := len(t.names)
	for first := true; ; first = false {
		more, err := t.p.separator(first, '}', ReasonEOFObject, ReasonMapCommaOrEnd)
		if err != nil {
			return dst, false
		}
		if !more {
			t.names = t.names[:open]
			return append(dst, '}'), true
		}
		if !first {
			dst = append(dst, ',')
		}
		start := t.p.pos
		if dst, ok = t.name(dst); !ok || !t.put(open, start) {
			return dst, false
		}
		if dst, ok = t.value(dst, depth); !ok {
			return dst, false
		}
	}
}

// name appends the name of a member and its colon.
func (t *Transcript) name(dst []byte) (_ []byte, ok bool) {
	p := &t.p
	if p.data[p.pos] != '"' {
		return dst, false
	}
	p.pos++
	if dst, ok = t.text(dst); !ok || !p.space() || p.data[p.pos] != ':' {
		return dst, false
	}
	p.pos++
	return append(dst, ':'), true
}

// put records the name that begins at start as a member of the object whose names begin at
// open. It returns false if the object may already have it.
func (t *Transcript) put(open, start int) bool {
	data := t.p.data
	name := data[start:t.p.pos]
	if len(t.names)-open >= mostNames || bytes.IndexByte(name, '\\') >= 0 {
		return false
	}
	name = bytes.TrimRight(name[:len(name)-1], " \n\t\r") // without the colon
	for _, other := range t.names[open:] {
		if bytes.Equal(data[other.start:other.end], name) {
			return false
		}
	}
	t.names = append(t.names, span{start, start + len(name)})
	return true
}

// text appends the string whose opening quote has been read.
func (t *Transcript) text(dst []byte) (_ []byte, ok bool) {
	p := &t.p
	start := p.pos
	end, ascii := plainText(p.data, start)
	for end+1 < len(p.data) && p.data[end] == '\\' && shortEscape(p.data[end+1]) {
		more := false
		end, more = plainText(p.data, end+2)
		ascii = ascii && more
	}
	if end == len(p.data) || p.data[end] != '"' {
		s, err := p.text() // AppendString escapes it differently, or it is invalid
		if err != nil {
			return dst, false
		}
		return AppendString(dst, s), true
	}
	p.pos = end + 1
	if !ascii && !utf8.Valid(p.data[start:end]) {
		return dst, false
	}
	return append(dst, p.data[start-1:end+1]...), true
}

// skipString skips a string that comes next, and tells whether it did. It is much faster
// than text.
func (p *jsonParser) skipString() bool {
	if !p.space() || p.data[p.pos] != '"' {
		return false
	}
	for i := p.pos + 1; ; {
		n := bytes.IndexByte(p.data[i:], '"')
		if n < 0 {
			return false
		}
		before := i + n
		for before > i && p.data[before-1] == '\\' {
			before--
		}
		slashes := i + n - before
		if i += n + 1; slashes%2 == 0 {
			p.pos = i
			return true
		}
	}
}

// shortEscape tells whether AppendString writes the escape with this letter the same way.
func shortEscape(c byte) bool {
	switch c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// plainText returns the end of the bytes that need no decoding: a quote, a backslash, a
// control character or the end of the text. ascii tells that all bytes before it are ASCII.
func plainText(data []byte, i int) (end int, ascii bool) {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	var all uint64
	for ; i+8 <= len(data); i += 8 {
		x := binary.LittleEndian.Uint64(data[i:])
		quote, slash := x^('"'*ones), x^('\\'*ones)
		// The lowest set bit is exact. Higher bits may result from its borrow.
		stop := ((x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if stop != 0 {
			n := bits.TrailingZeros64(stop) / 8
			all |= x & (1<<(8*n) - 1)
			return i + n, all&highs == 0
		}
		all |= x
	}
	for ; i < len(data); i++ {
		c := data[i]
		if c == '"' || c == '\\' || c < ' ' {
			break
		}
		all |= uint64(c)
	}
	return i, all&highs == 0
}

// number appends the number that begins here, if there is one.
func (t *Transcript) number(dst []byte) (_ []byte, ok bool) {
	p := &t.p
	c := p.data[p.pos]
	if c != '-' && !isDigit(c) {
		return dst, false
	}
	start := p.pos
	if n := p.digits(); n > 0 && n < 19 && (c != '0' || n == 1) {
		if next := p.peek(); next != '.' && next != 'e' && next != 'E' {
			return append(dst, p.data[start:p.pos]...), true
		}
	}
	p.pos = start
	v, err := p.number()
	if err != nil {
		return dst, false
	}
	return v.AppendJSON(dst), true
}
