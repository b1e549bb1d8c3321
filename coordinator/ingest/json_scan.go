package ingest

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A jsonScan walks over JSON text that the payload parser has accepted. It
// allocates only for keys with escapes and never panics: on text that is not
// JSON it stops early.
type jsonScan struct {
	data []byte
	pos  int
	key  []byte // buffer of unescaped keys
}

func (s *jsonScan) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not a blank, 0 at the end.
func (s *jsonScan) peek() byte {
	s.space()
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// take consumes c if it comes next.
func (s *jsonScan) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// text passes over a string and returns what stands between its quotes.
func (s *jsonScan) text() (raw []byte, escaped bool) {
	if !s.take('"') {
		s.pos = len(s.data)
		return nil, false
	}
	start := s.pos
	for {
		i := bytes.IndexByte(s.data[s.pos:], '"')
		if i < 0 {
			s.pos = len(s.data)
			return nil, false
		}
		if j := bytes.IndexByte(s.data[s.pos:s.pos+i], '\\'); j >= 0 {
			escaped = true
			s.pos = min(s.pos+j+2, len(s.data))
			continue
		}
		s.pos += i + 1
		return s.data[start : s.pos-1], escaped
	}
}

// member reads a key and its colon. The key is unescaped; it is valid until the
// next call.
func (s *jsonScan) member() (key []byte, ok bool) {
	raw, escaped := s.text()
	if !s.take(':') {
		s.pos = len(s.data)
		return nil, false
	}
	if escaped {
		s.key = unescape(s.key[:0], raw)
		return s.key, true
	}
	return raw, true
}

// value passes over one value and returns its text.
func (s *jsonScan) value() []byte {
	c := s.peek()
	start := s.pos
	switch c {
	case '"':
		s.text()
	case '{', '[':
		s.nested()
	default:
		for s.pos < len(s.data) {
			switch s.data[s.pos] {
			case ',', '}', ']', ' ', '\t', '\n', '\r':
				return s.data[start:s.pos]
			}
			s.pos++
		}
	}
	return s.data[start:s.pos]
}

// nested passes over an object or array without looking at its parts.
func (s *jsonScan) nested() {
	depth := 0
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '"':
			s.text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
}

// object calls visit for each member of the object that comes next, in order.
// visit must consume the value; it returns false to stop.
func (s *jsonScan) object(visit func(key []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		key, ok := s.member()
		if !ok || !visit(key) {
			return false
		}
		if !s.take(',') {
			return s.take('}')
		}
	}
}

// array calls visit for each item of the array that comes next.
func (s *jsonScan) array(visit func() bool) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		if !visit() {
			return false
		}
		if !s.take(',') {
			return s.take(']')
		}
	}
}

// unescape appends the text of a JSON string to dst. A lone surrogate becomes
// U+FFFD.
func unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' || i+1 >= len(raw) {
			dst = append(dst, c)
			continue
		}
		i++
		switch raw[i] {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, ok := hex4(raw, i+1)
			if !ok {
				return dst
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if i+2 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
					low, ok = hex4(raw, i+3)
				}
				if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
					r, i = pair, i+6
				} else {
					r = utf8.RuneError
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, raw[i])
		}
	}
	return dst
}

func hex4(b []byte, at int) (rune, bool) {
	if at+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[at : at+4] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if c >= '0' && c <= '9' {
			d = int(c - '0')
		}
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}
