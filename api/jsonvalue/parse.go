package jsonvalue

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// maxDepth is the depth of nesting at which a value is refused.
const maxDepth = 128

// SyntaxError is a failed JSON parse. Its text is the reference's: the reason and the
// position of the byte that ended the parse.
type SyntaxError struct {
	Reason       string
	Line, Column int // Line from 1; Column counts bytes consumed on that line
}

// Error returns "reason at line L column C".
func (e *SyntaxError) Error() string {
	return e.Reason + " at line " + strconv.Itoa(e.Line) + " column " + strconv.Itoa(e.Column)
}

// Reasons of SyntaxErrors.
const (
	ReasonEOFValue       = "EOF while parsing a value"
	ReasonEOFString      = "EOF while parsing a string"
	ReasonEOFList        = "EOF while parsing a list"
	ReasonEOFObject      = "EOF while parsing an object"
	ReasonTrailing       = "trailing characters"
	ReasonTrailingComma  = "trailing comma"
	ReasonExpectedValue  = "expected value"
	ReasonExpectedIdent  = "expected ident"
	ReasonExpectedColon  = "expected `:`"
	ReasonListCommaOrEnd = "expected `,` or `]`"
	ReasonMapCommaOrEnd  = "expected `,` or `}`"
	ReasonKeyNotString   = "key must be a string"
	ReasonInvalidNumber  = "invalid number"
	ReasonNumberRange    = "number out of range"
	ReasonInvalidEscape  = "invalid escape"
	ReasonControlChar    = "control character (\\u0000-\\u001F) found while parsing a string"
	ReasonBadUnicode     = "invalid unicode code point"
	ReasonLoneSurrogate  = "lone leading surrogate in hex escape"
	ReasonEndOfHexEscape = "unexpected end of hex escape"
	ReasonRecursion      = "recursion limit exceeded"
)

// Parse parses one JSON text. data is not kept. The error is a *SyntaxError.
func Parse(data []byte) (Value, error) {
	p := jsonParser{data: data}
	return p.whole()
}

// Check returns the error of Parse without keeping values: a tree takes up to 72 bytes for
// each two bytes of its text.
func Check(data []byte) error {
	p := jsonParser{data: data, discard: true}
	_, err := p.whole()
	return err
}

// whole parses the text to its end.
func (p *jsonParser) whole() (Value, error) {
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	if p.space() {
		return Value{}, p.peeked(ReasonTrailing)
	}
	return v, nil
}

// jsonParser reads data once. It has the two error positions of the reference's parser:
// consumed counts the bytes read so far, peeked includes the byte that was refused.
type jsonParser struct {
	data []byte
	pos  int
	// sizes, if known, has the number of members of each array and object, in the order of
	// opening. opened is the number opened so far.
	sizes  []uint32
	opened int
	// discard leaves arrays and objects empty.
	discard bool
}

// members allocates the members of the container that is being opened. It returns nil if
// their number is unknown or 0.
func (p *jsonParser) members() []Member {
	if p.opened >= len(p.sizes) {
		return nil
	}
	size := p.sizes[p.opened]
	p.opened++
	if size == 0 {
		return nil
	}
	return make([]Member, 0, size)
}

func (p *jsonParser) errorAt(i int, reason string) *SyntaxError {
	line, column := Position(p.data[:i])
	return &SyntaxError{Reason: reason, Line: line, Column: column}
}

// Position returns the line (from 1) and the number of bytes on it after the consumed text.
func Position(consumed []byte) (line, column int) {
	last := bytes.LastIndexByte(consumed, '\n')
	return 1 + bytes.Count(consumed, []byte{'\n'}), len(consumed) - last - 1
}

func (p *jsonParser) consumed(reason string) *SyntaxError { return p.errorAt(p.pos, reason) }

func (p *jsonParser) peeked(reason string) *SyntaxError {
	return p.errorAt(min(len(p.data), p.pos+1), reason)
}

// space skips white space and tells whether a byte follows.
func (p *jsonParser) space() bool {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\n', '\t', '\r':
			p.pos++
		default:
			return true
		}
	}
	return false
}

func (p *jsonParser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *jsonParser) value(depth int) (Value, error) {
	if !p.space() {
		return Value{}, p.peeked(ReasonEOFValue)
	}
	switch c := p.data[p.pos]; c {
	case 'n':
		return Value{}, p.ident("null")
	case 't':
		return BoolValue(true), p.ident("true")
	case 'f':
		return BoolValue(false), p.ident("false")
	case '"':
		p.pos++
		s, err := p.text()
		return StringValue(s), err
	case '[', '{':
		if depth+1 == maxDepth {
			return Value{}, p.peeked(ReasonRecursion)
		}
		p.pos++
		if c == '[' {
			return p.array(depth + 1)
		}
		return p.object(depth + 1)
	default:
		if c == '-' || ('0' <= c && c <= '9') {
			return p.number()
		}
		return Value{}, p.peeked(ReasonExpectedValue)
	}
}

func (p *jsonParser) ident(word string) error {
	p.pos++
	for i := 1; i < len(word); i++ {
		if p.pos == len(p.data) {
			return p.consumed(ReasonEOFValue)
		}
		p.pos++
		if p.data[p.pos-1] != word[i] {
			return p.consumed(ReasonExpectedIdent)
		}
	}
	return nil
}

func (p *jsonParser) array(depth int) (Value, error) {
	v := Value{kind: KindArray, kids: p.members()}
	for first := true; ; first = false {
		more, err := p.separator(first, ']', ReasonEOFList, ReasonListCommaOrEnd)
		if err != nil || !more {
			return v, err
		}
		item, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		if !p.discard {
			v.kids = append(v.kids, Member{Value: item})
		}
	}
}

func (p *jsonParser) object(depth int) (Value, error) {
	v := Value{kind: KindObject, kids: p.members()}
	var places map[string]int // made when the object is large
	for first := true; ; first = false {
		more, err := p.separator(first, '}', ReasonEOFObject, ReasonMapCommaOrEnd)
		if err != nil || !more {
			return v, err
		}
		if p.data[p.pos] != '"' {
			return Value{}, p.peeked(ReasonKeyNotString)
		}
		p.pos++
		name, err := p.text()
		if err != nil {
			return Value{}, err
		}
		if !p.space() {
			return Value{}, p.peeked(ReasonEOFObject)
		}
		if p.data[p.pos] != ':' {
			return Value{}, p.peeked(ReasonExpectedColon)
		}
		p.pos++
		item, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		if !p.discard {
			places = v.put(name, item, places)
		}
	}
}

// put appends a member, or replaces the value of the member with that name.
func (v *Value) put(name string, item Value, places map[string]int) map[string]int {
	if places == nil && len(v.kids) >= 16 {
		places = make(map[string]int, 2*len(v.kids))
		for i := range v.kids {
			places[v.kids[i].Name] = i
		}
	}
	if places != nil {
		if i, ok := places[name]; ok {
			v.kids[i].Value = item
			return places
		}
		places[name] = len(v.kids)
	} else if old := v.Get(name); old != nil {
		*old = item
		return places
	}
	v.kids = append(v.kids, Member{Name: name, Value: item})
	return places
}

// separator reads up to the next element: it consumes the closing byte (more is false) or
// the comma, and leaves the parser at the element's first byte.
func (p *jsonParser) separator(first bool, end byte, eof, want string) (more bool, err error) {
	if !p.space() {
		return false, p.peeked(eof)
	}
	c := p.data[p.pos]
	if c == end {
		p.pos++
		return false, nil
	}
	if first {
		return true, nil
	}
	if c != ',' {
		return false, p.peeked(want)
	}
	p.pos++
	if !p.space() {
		return false, p.peeked(ReasonEOFValue)
	}
	if p.data[p.pos] == end {
		return false, p.peeked(ReasonTrailingComma)
	}
	return true, nil
}

// number parses a literal that starts with '-' or a digit.
func (p *jsonParser) number() (Value, error) {
	start := p.pos
	negative := p.data[p.pos] == '-'
	if negative {
		p.pos++
		if p.pos == len(p.data) {
			return Value{}, p.consumed(ReasonEOFValue)
		}
	}
	integer := true
	switch c := p.peek(); {
	case c == '0':
		p.pos++
		if isDigit(p.peek()) {
			return Value{}, p.peeked(ReasonInvalidNumber)
		}
	case isDigit(c):
		p.digits()
	default:
		p.pos++
		return Value{}, p.consumed(ReasonInvalidNumber)
	}
	if p.peek() == '.' {
		integer = false
		p.pos++
		if p.digits() == 0 {
			if p.pos == len(p.data) {
				return Value{}, p.peeked(ReasonEOFValue)
			}
			return Value{}, p.peeked(ReasonInvalidNumber)
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		integer = false
		if err := p.exponent(); err != nil {
			return Value{}, err
		}
	}
	return p.numberValue(string(p.data[start:p.pos]), integer, negative)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (p *jsonParser) digits() (n int) {
	for isDigit(p.peek()) {
		p.pos++
		n++
	}
	return n
}

func (p *jsonParser) exponent() error {
	p.pos++
	if c := p.peek(); c == '+' || c == '-' {
		p.pos++
	}
	if p.pos == len(p.data) {
		return p.consumed(ReasonEOFValue)
	}
	p.pos++
	if !isDigit(p.data[p.pos-1]) {
		return p.consumed(ReasonInvalidNumber)
	}
	p.digits()
	return nil
}

func (p *jsonParser) numberValue(text string, integer, negative bool) (Value, error) {
	if integer && !negative {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return UintValue(n), nil
		}
	} else if integer {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n != 0 {
			return Value{kind: KindNegative, num: uint64(n)}, nil
		}
	}
	f, ok := ParseFloat(text)
	if !ok {
		return Value{}, p.consumed(ReasonNumberRange)
	}
	return Value{kind: KindFloat, num: math.Float64bits(f)}, nil
}

// text reads a string whose opening quote has been consumed.
func (p *jsonParser) text() (string, error) {
	start := p.pos
	end, ascii := plainText(p.data, start)
	p.pos = end
	if end == len(p.data) {
		return "", p.consumed(ReasonEOFString)
	}
	if p.data[end] == '\\' {
		buf := make([]byte, 0, p.closing()-start) // decoding never lengthens an escape
		return p.escapedText(append(buf, p.data[start:end]...))
	}
	p.pos++
	if p.data[end] < ' ' {
		return "", p.consumed(ReasonControlChar)
	}
	raw := p.data[start:end]
	if !ascii && !utf8.Valid(raw) {
		return "", p.consumed(ReasonBadUnicode)
	}
	return string(raw), nil
}

// closing is the end of the current string, or of the text.
func (p *jsonParser) closing() int {
	i, _ := plainText(p.data, p.pos)
	for i < len(p.data) && p.data[i] != '"' {
		next := i + 1
		if p.data[i] == '\\' {
			next++
		}
		i, _ = plainText(p.data, min(next, len(p.data)))
	}
	return i
}

// escapedText continues at the first backslash of a string. buf holds the text before it
// and becomes the string's buffer.
func (p *jsonParser) escapedText(buf []byte) (string, error) {
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		p.pos++
		switch {
		case c == '"':
			if !utf8.Valid(buf) {
				return "", p.consumed(ReasonBadUnicode)
			}
			return unsafe.String(unsafe.SliceData(buf), len(buf)), nil
		case c == '\\':
			var err error
			if buf, err = p.escape(buf); err != nil {
				return "", err
			}
		case c < ' ':
			return "", p.consumed(ReasonControlChar)
		default:
			end, _ := plainText(p.data, p.pos)
			buf = append(buf, p.data[p.pos-1:end]...)
			p.pos = end
		}
	}
	return "", p.consumed(ReasonEOFString)
}

func (p *jsonParser) escape(buf []byte) ([]byte, error) {
	if p.pos == len(p.data) {
		return nil, p.consumed(ReasonEOFString)
	}
	c := p.data[p.pos]
	p.pos++
	switch c {
	case '"', '\\', '/':
		return append(buf, c), nil
	case 'b':
		return append(buf, '\b'), nil
	case 'f':
		return append(buf, '\f'), nil
	case 'n':
		return append(buf, '\n'), nil
	case 'r':
		return append(buf, '\r'), nil
	case 't':
		return append(buf, '\t'), nil
	case 'u':
		r, err := p.codePoint()
		if err != nil {
			return nil, err
		}
		return utf8.AppendRune(buf, r), nil
	}
	return nil, p.consumed(ReasonInvalidEscape)
}

// codePoint reads the code unit or surrogate pair after \u.
func (p *jsonParser) codePoint() (rune, error) {
	hi, err := p.hex4()
	if err != nil {
		return 0, err
	}
	if hi >= 0xDC00 && hi <= 0xDFFF {
		return 0, p.consumed(ReasonLoneSurrogate)
	}
	if hi < 0xD800 || hi > 0xDBFF {
		return hi, nil
	}
	for _, want := range []byte{'\\', 'u'} {
		if p.pos == len(p.data) {
			return 0, p.consumed(ReasonEOFString)
		}
		p.pos++
		if p.data[p.pos-1] != want {
			return 0, p.consumed(ReasonEndOfHexEscape)
		}
	}
	lo, err := p.hex4()
	if err != nil {
		return 0, err
	}
	if lo < 0xDC00 || lo > 0xDFFF {
		return 0, p.consumed(ReasonLoneSurrogate)
	}
	return utf16.DecodeRune(hi, lo), nil
}

func (p *jsonParser) hex4() (rune, error) {
	if p.pos+4 > len(p.data) {
		p.pos = len(p.data)
		return 0, p.consumed(ReasonEOFString)
	}
	for i := 0; i < 4; i++ {
		c := p.data[p.pos+i]
		if !isHex(c) {
			// The reference consumes all four digits before it checks them.
			p.pos += 4
			return 0, p.consumed(ReasonInvalidEscape)
		}
	}
	n, err := strconv.ParseUint(string(p.data[p.pos:p.pos+4]), 16, 16)
	p.pos += 4
	if err != nil {
		return 0, p.consumed(ReasonInvalidEscape)
	}
	return rune(n), nil
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// ParsePrefix parses the JSON value at the start of data and returns its length in bytes.
// It ignores the rest.
func ParsePrefix(data []byte) (Value, int, error) {
	p := jsonParser{data: data}
	v, err := p.value(0)
	return v, p.pos, err
}

// DecodeString decodes the JSON string in data whose opening quote stands just before from.
// Positions of errors refer to data.
func DecodeString(data []byte, from int) (string, error) {
	p := jsonParser{data: data, pos: from}
	return p.text()
}
