package payload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"unicode/utf8"

	"shoal/api/jsonvalue"
)

const (
	// A buffer starts with firstBuffer, because most payloads are small. It grows to
	// wholeBuffer once it was filled.
	firstBuffer = 8 << 10
	wholeBuffer = 64 << 10
	maxDepth    = 128
)

// scanner walks a stream of JSON text. It checks the grammar without building values. It
// keeps the bytes of the current element (from keep on), so that an element can be handed
// out as one slice.
type scanner struct {
	from io.Reader
	buf  []byte
	pos  int // next byte
	end  int // end of the bytes read
	keep int // start of the current element, -1 for none
	// filled tells that the last read filled buf.
	filled bool
	// lines and column locate buf[0]: the newlines before it, and the bytes before it on
	// its line.
	lines, column int
	failed        error // error of from; io.EOF at the end

	// members are the top-level members of the current object, as offsets relative to keep.
	// suspect tells that a value may have a fault.
	members []span
	// crowded tells that the object has more members than are recorded.
	crowded bool
	suspect bool
	frames  []byte
}

// span locates a member: its name without quotes, and its value.
type span struct{ nameFrom, nameTo, valueFrom, valueTo int }

func newScanner(r io.Reader) *scanner {
	return &scanner{from: r, buf: make([]byte, firstBuffer), keep: -1}
}

// peek returns the next byte. ok is false at the end of the stream or after a failed read.
func (s *scanner) peek() (c byte, ok bool) {
	if s.pos == s.end && !s.fill() {
		return 0, false
	}
	return s.buf[s.pos], true
}

// next returns the next byte and consumes it.
func (s *scanner) next() (c byte, ok bool) {
	if s.pos == s.end && !s.fill() {
		return 0, false
	}
	s.pos++
	return s.buf[s.pos-1], true
}

// fill reads more bytes after those that must be kept.
func (s *scanner) fill() bool {
	if s.failed != nil {
		return false
	}
	from := s.pos
	if s.keep >= 0 {
		from = s.keep
	}
	if from > 0 {
		s.forget(from)
	}
	if s.end == len(s.buf) || s.filled && len(s.buf) < wholeBuffer {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for empty := 0; ; empty++ {
		n, err := s.from.Read(s.buf[s.end:])
		s.end += n
		s.filled = s.end == len(s.buf)
		if err != nil {
			s.failed = err
		}
		if n > 0 || err != nil {
			return n > 0
		}
		if empty == 100 {
			s.failed = io.ErrNoProgress
			return false
		}
	}
}

// forget drops the first n bytes of the buffer.
func (s *scanner) forget(n int) {
	gone := s.buf[:n]
	if last := bytes.LastIndexByte(gone, '\n'); last >= 0 {
		s.lines += bytes.Count(gone, []byte{'\n'})
		s.column = n - last - 1
	} else {
		s.column += n
	}
	copy(s.buf, s.buf[n:s.end])
	s.pos -= n
	s.end -= n
	if s.keep >= 0 {
		s.keep -= n
	}
}

// consumed and peeked are the syntax errors at the two positions of the reference: after
// the bytes read so far, or one byte further. A failed read takes precedence, because it
// looks like an end of the stream.
func (s *scanner) consumed(reason string) error { return s.errorAt(s.pos, reason) }

func (s *scanner) peeked(reason string) error { return s.errorAt(min(s.end, s.pos+1), reason) }

func (s *scanner) errorAt(i int, reason string) error {
	if s.failed != nil && !errors.Is(s.failed, io.EOF) {
		return s.failed
	}
	line, column := jsonvalue.Position(s.buf[:i])
	if line == 1 {
		column += s.column
	}
	return &jsonvalue.SyntaxError{Reason: reason, Line: line + s.lines, Column: column}
}

// space skips white space. ok is false at the end.
func (s *scanner) space() (c byte, ok bool) {
	for {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case ' ', '\n', '\t', '\r':
				s.pos++
			default:
				return c, true
			}
		}
		if !s.fill() {
			return 0, false
		}
	}
}

// element scans the value at the current byte and returns its raw text, valid until the
// next call. It records the members of an object.
func (s *scanner) element() ([]byte, error) {
	s.members, s.crowded, s.suspect = s.members[:0], false, false
	s.keep = s.pos
	err := s.value()
	raw := s.buf[max(s.keep, 0):s.pos]
	s.keep = -1
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(raw) {
		return nil, s.consumed(jsonvalue.ReasonBadUnicode)
	}
	return raw, nil
}

// value scans one value of any depth without recursion.
func (s *scanner) value() error {
	s.frames = s.frames[:0]
	for {
		c, ok := s.space()
		if !ok {
			return s.peeked(jsonvalue.ReasonEOFValue)
		}
		if len(s.frames) == 1 && s.frames[0] == '{' && !s.crowded {
			s.members[len(s.members)-1].valueFrom = s.pos - s.keep
		}
		opened, err := s.start(c)
		if err != nil {
			return err
		}
		done, err := s.follow(opened)
		if err != nil || done {
			return err
		}
	}
}

// start scans a scalar or enters a container.
func (s *scanner) start(c byte) (opened bool, err error) {
	switch c {
	case 'n':
		return false, s.word("null")
	case 't':
		return false, s.word("true")
	case 'f':
		return false, s.word("false")
	case '"':
		s.pos++
		return false, s.text()
	case '[', '{':
		if len(s.frames)+1 == maxDepth {
			return false, s.peeked(jsonvalue.ReasonRecursion)
		}
		s.frames = append(s.frames, c)
		s.pos++
		return true, nil
	default:
		if c == '-' || isDigit(c) {
			return false, s.number()
		}
		return false, s.peeked(jsonvalue.ReasonExpectedValue)
	}
}

// follow closes containers and consumes the separator, and in objects the name and colon,
// before the next value. done tells that the outermost value ended. opened tells that the
// container was just entered.
func (s *scanner) follow(opened bool) (done bool, err error) {
	for {
		depth := len(s.frames)
		if !opened && depth == 1 && s.frames[0] == '{' && !s.crowded {
			s.members[len(s.members)-1].valueTo = s.pos - s.keep
		}
		if depth == 0 {
			return true, nil
		}
		object := s.frames[depth-1] == '{'
		c, ok := s.space()
		switch {
		case !ok && object:
			return false, s.peeked(jsonvalue.ReasonEOFObject)
		case !ok:
			return false, s.peeked(jsonvalue.ReasonEOFList)
		case object && c == '}' || !object && c == ']':
			s.pos++
			s.frames = s.frames[:depth-1]
			opened = false
			continue
		case opened:
		case c == ',':
			s.pos++
		case object:
			return false, s.peeked(jsonvalue.ReasonMapCommaOrEnd)
		default:
			return false, s.peeked(jsonvalue.ReasonListCommaOrEnd)
		}
		if object {
			return false, s.name(depth == 1)
		}
		return false, nil
	}
}

// name scans a member's name and colon.
func (s *scanner) name(note bool) error {
	c, ok := s.space()
	if !ok {
		return s.peeked(jsonvalue.ReasonEOFObject)
	}
	if c != '"' {
		return s.peeked(jsonvalue.ReasonKeyNotString)
	}
	s.pos++
	from := s.pos - s.keep
	if err := s.text(); err != nil {
		return err
	}
	if note && len(s.members) == maxNoted {
		s.crowded = true
	} else if note {
		s.members = append(s.members, span{nameFrom: from, nameTo: s.pos - 1 - s.keep})
	}
	if c, ok = s.space(); !ok {
		return s.peeked(jsonvalue.ReasonEOFObject)
	}
	if c != ':' {
		return s.peeked(jsonvalue.ReasonExpectedColon)
	}
	s.pos++
	return nil
}

func (s *scanner) word(word string) error {
	s.pos++
	for i := 1; i < len(word); i++ {
		c, ok := s.next()
		if !ok {
			return s.consumed(jsonvalue.ReasonEOFValue)
		}
		if c != word[i] {
			return s.consumed(jsonvalue.ReasonExpectedIdent)
		}
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number scans a literal that starts with '-' or a digit. A literal that may exceed doubles
// makes the element suspect.
func (s *scanner) number() error {
	c, _ := s.next()
	if c == '-' {
		if c, _ = s.next(); !isDigit(c) {
			return s.consumed(jsonvalue.ReasonInvalidNumber)
		}
	}
	if c == '0' {
		if c, _ := s.peek(); isDigit(c) {
			return s.peeked(jsonvalue.ReasonInvalidNumber)
		}
	} else if s.digits() > 300 {
		s.suspect = true
	}
	if c, _ := s.peek(); c == '.' {
		s.pos++
		if s.digits() == 0 {
			return s.peeked(jsonvalue.ReasonInvalidNumber)
		}
	}
	if c, _ := s.peek(); c == 'e' || c == 'E' {
		s.suspect = true
		s.pos++
		if c, _ := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if c, _ := s.next(); !isDigit(c) {
			return s.consumed(jsonvalue.ReasonInvalidNumber)
		}
		s.digits()
	}
	return nil
}

func (s *scanner) digits() (n int) {
	for {
		c, ok := s.peek()
		if !ok || !isDigit(c) {
			return n
		}
		s.pos++
		n++
	}
}

// text scans a string whose opening quote has been consumed.
func (s *scanner) text() error {
	for {
		s.pos += plainText(s.buf[s.pos:s.end])
		if s.pos == s.end {
			if !s.fill() {
				return s.consumed(jsonvalue.ReasonEOFString)
			}
			continue
		}
		c := s.buf[s.pos]
		if c < 0x20 {
			return s.consumed(jsonvalue.ReasonControlChar)
		}
		s.pos++
		if c == '"' {
			return nil
		}
		if err := s.escape(); err != nil {
			return err
		}
	}
}

// plainText is the number of bytes before the first quote, backslash or control character.
// It tests eight bytes at a time: the high bit of a lane is set where a subtraction
// borrowed. That happens only for the bytes in question and, harmlessly, in lanes above one
// of them.
func plainText(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		control := (w - ones*0x20) & ^w
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		hits := (control | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if hits != 0 {
			return i + bits.TrailingZeros64(hits)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// escape scans the text after a backslash. A surrogate makes the element suspect.
func (s *scanner) escape() error {
	c, ok := s.next()
	if !ok {
		return s.consumed(jsonvalue.ReasonEOFString)
	}
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
	default:
		return s.consumed(jsonvalue.ReasonInvalidEscape)
	}
	for s.end-s.pos < 4 {
		if !s.fill() {
			s.pos = s.end
			return s.consumed(jsonvalue.ReasonEOFString)
		}
	}
	digits := s.buf[s.pos : s.pos+4]
	s.pos += 4
	for _, d := range digits {
		if !isDigit(d) && (d|0x20 < 'a' || d|0x20 > 'f') {
			return s.consumed(jsonvalue.ReasonInvalidEscape)
		}
	}
	if digits[0]|0x20 == 'd' && digits[1] >= '8' {
		s.suspect = true
	}
	return nil
}
