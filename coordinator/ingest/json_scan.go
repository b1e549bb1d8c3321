package ingest

import (
	"bytes"

	"shoal/api/jsonvalue"
)

// A jsonScan walks over JSON text that the payload parser has accepted. It allocates only for
// keys with escapes and never panics: on text that is not JSON it stops early.
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

// peek returns the next non-blank byte, 0 at the end.
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

// text skips a string and returns the bytes between its quotes.
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

// member reads a key and its colon. The key is unescaped and valid until the next call.
func (s *jsonScan) member() (key []byte, ok bool) {
	raw, escaped := s.text()
	if !s.take(':') {
		s.pos = len(s.data)
		return nil, false
	}
	if escaped {
		s.key = jsonvalue.AppendUnescaped(s.key[:0], raw)
		return s.key, true
	}
	return raw, true
}

// value skips one value and returns its text.
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

// nested skips an object or array without looking at its parts.
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

// object calls visit for each member of the next object, in order. visit must consume the
// value; it returns false to stop.
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

// array calls visit for each item of the next array.
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
