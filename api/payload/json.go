package payload

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// ReadJSON reads one object, or an array of objects element by element. As in the
// reference, it ignores text after the closing bracket of an array, but not errors of r there. See Read.
func ReadJSON(r io.Reader, each func(*Document) error) (uint64, error) {
	s := newScanner(r)
	d := splitter{format: JSON, scanner: s}
	if _, ok := s.peek(); !ok {
		return 0, s.ended(JSON)
	}
	c, ok := s.space()
	if !ok {
		return 0, d.syntax(s.peeked(jsonvalue.ReasonEOFValue))
	}
	if c != '[' {
		return d.single(each)
	}
	s.pos++
	for count := uint64(0); ; count++ {
		more, err := s.comma(count == 0)
		if err != nil {
			return count, d.syntax(err)
		}
		if !more {
			return count, s.drain()
		}
		raw, err := s.element()
		if err != nil {
			return count, d.syntax(err)
		}
		doc, refused := d.document(raw)
		if refused != nil {
			// The reference closes the array before it reports the refusal.
			if err := s.closeArray(); err != nil {
				return count, d.syntax(err)
			}
			return count, refused
		}
		if err := each(doc); err != nil {
			return count, err
		}
	}
}

// ReadNDJSON reads objects separated by optional white space. See Read.
func ReadNDJSON(r io.Reader, each func(*Document) error) (uint64, error) {
	s := newScanner(r)
	d := splitter{format: NDJSON, scanner: s}
	if _, ok := s.peek(); !ok {
		return 0, s.ended(NDJSON)
	}
	for count := uint64(0); ; count++ {
		first, ok := s.space()
		if !ok {
			if errors.Is(s.failed, io.EOF) {
				return count, nil
			}
			return count, s.failed
		}
		raw, err := s.element()
		if err != nil {
			return count, d.syntax(err)
		}
		if first != '{' {
			return count, d.notObject(first, raw)
		}
		doc, refused := d.document(raw)
		if refused != nil {
			return count, refused
		}
		if err := each(doc); err != nil {
			return count, err
		}
	}
}

// ended is the error of a stream without any byte.
func (s *scanner) ended(f Format) error {
	if errors.Is(s.failed, io.EOF) {
		return missing(f)
	}
	return s.failed
}

// comma reads up to the next element of the outer array: it consumes the comma, or the
// closing bracket (more is false).
func (s *scanner) comma(first bool) (more bool, err error) {
	c, ok := s.space()
	switch {
	case !ok:
		return false, s.peeked(jsonvalue.ReasonEOFList)
	case c == ']':
		s.pos++
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, s.peeked(jsonvalue.ReasonListCommaOrEnd)
	}
	s.pos++
	if c, ok = s.space(); !ok {
		return false, s.peeked(jsonvalue.ReasonEOFValue)
	}
	if c == ']' {
		return false, s.peeked(jsonvalue.ReasonTrailingComma)
	}
	return true, nil
}

// drain reads the rest of the stream and ignores it. Only at its end does a stream tell whether it is
// damaged, cut off or too long.
func (s *scanner) drain() error {
	for s.pos = s.end; s.fill(); s.pos = s.end {
	}
	if errors.Is(s.failed, io.EOF) {
		return nil
	}
	return s.failed
}

// closeArray expects the end of the outer array.
func (s *scanner) closeArray() error {
	c, ok := s.space()
	switch {
	case !ok:
		return s.peeked(jsonvalue.ReasonEOFList)
	case c == ']':
		return nil
	case c == ',':
		s.pos++
		if c, ok = s.space(); ok && c == ']' {
			return s.peeked(jsonvalue.ReasonTrailingComma)
		}
	}
	return s.peeked(jsonvalue.ReasonTrailing)
}

// splitter turns scanned elements into documents. It reuses its buffers.
type splitter struct {
	format  Format
	scanner *scanner
	doc     Document
	names   names
	places  map[string]int
}

// syntax turns a syntax error into the client's. Other errors stay.
func (d *splitter) syntax(err error) error {
	var se *jsonvalue.SyntaxError
	if errors.As(err, &se) {
		return malformed(d.format, se.Error())
	}
	return err
}

// document fills in d.doc from a scanned element, or says why the element is refused.
func (d *splitter) document(raw []byte) (*Document, error) {
	if raw[0] != '{' {
		return nil, notAMap(d.format, raw)
	}
	doc := &d.doc
	doc.Raw, doc.Members, doc.Repeated, doc.Fault, doc.Truncated = raw, doc.Members[:0], doc.Repeated[:0], "", nil
	if d.scanner.crowded {
		doc.Truncated = apierr.TooManyFields()
	}
	clear(d.places)
	for _, m := range d.scanner.members {
		name, err := d.names.get(raw, m.nameFrom, m.nameTo)
		if err != nil {
			return nil, malformed(d.format, err.Error())
		}
		if len(doc.Members) > MaxMembers {
			break
		}
		d.put(Member{Name: name, Value: raw[m.valueFrom:m.valueTo]})
	}
	if d.format == JSON {
		doc.Repeated = doc.Repeated[:0]
	}
	if d.scanner.suspect {
		doc.Fault = faultOf(doc.Members)
	}
	return doc, nil
}

// faultOf returns the fault of the first unreadable value. Its position counts from the
// beginning of the value, because the reference reads values one by one.
func faultOf(members []Member) string {
	for i := range members {
		if err := jsonvalue.Check(members[i].Value); err != nil {
			return err.Error()
		}
	}
	return ""
}

// put appends a member, or replaces the value of the member with that name.
func (d *splitter) put(m Member) {
	list := d.doc.Members
	if len(list) < 16 {
		for i := range list {
			if list[i].Name == m.Name {
				list[i].Value, d.doc.Repeated = m.Value, append(d.doc.Repeated, m.Name)
				return
			}
		}
	} else {
		if d.places == nil {
			d.places = map[string]int{}
		}
		if len(d.places) == 0 {
			for i := range list {
				d.places[list[i].Name] = i
			}
		}
		if i, ok := d.places[m.Name]; ok {
			list[i].Value, d.doc.Repeated = m.Value, append(d.doc.Repeated, m.Name)
			return
		}
		d.places[m.Name] = len(list)
	}
	d.doc.Members = append(list, m)
}

// single reads a stream that is not an array. It must be one object with nothing after it,
// and every value is checked at once.
func (d *splitter) single(each func(*Document) error) (uint64, error) {
	s := d.scanner
	first := s.buf[s.pos]
	// The positions of errors count from the start of the stream, so all skipped bytes must
	// still be in the buffer. They are, unless there was more white space than a buffer
	// holds.
	lines, column := s.lines, s.column
	s.keep = 0
	for s.pos = s.end; s.fill(); s.pos = s.end {
	}
	if !errors.Is(s.failed, io.EOF) {
		return 0, s.failed
	}
	text := s.buf[:s.end]
	err := checkSingle(text, first)
	var se *jsonvalue.SyntaxError
	if errors.As(err, &se) {
		at := *se
		if at.Line == 1 {
			at.Column += column
		}
		at.Line += lines
		return 0, malformed(JSON, at.Error())
	}
	if err != nil {
		return 0, err
	}
	s.pos, s.keep = 0, -1
	if _, ok := s.space(); !ok {
		return 0, d.syntax(s.peeked(jsonvalue.ReasonEOFValue))
	}
	raw, err := s.element()
	if err != nil {
		return 0, d.syntax(err)
	}
	doc, refused := d.document(raw)
	if refused != nil {
		return 0, refused
	}
	doc.Single = true
	if err := each(doc); err != nil {
		return 0, err
	}
	return 1, nil
}

func checkSingle(text []byte, first byte) error {
	if first == '{' {
		return jsonvalue.Check(text)
	}
	if _, _, err := jsonvalue.ParsePrefix(text); err != nil {
		return err
	}
	return malformed(JSON, "data are neither an object nor a list of objects")
}

// notObject refuses an NDJSON value. A scalar must be followed by a separator before its
// kind matters.
func (d *splitter) notObject(first byte, raw []byte) error {
	refused := notAMap(NDJSON, raw)
	if first == '[' || first == '"' {
		return refused
	}
	if c, ok := d.scanner.peek(); ok && !strings.ContainsRune(" \n\t\r\"[]{},:", rune(c)) {
		return d.syntax(d.scanner.peeked(jsonvalue.ReasonTrailing))
	}
	return refused
}

// notAMap refuses an element that is not an object. The reference answers with the same
// text but status 500, although the fault is the client's.
func notAMap(f Format, raw []byte) error {
	if raw[0] != '[' {
		if _, _, err := jsonvalue.ParsePrefix(raw); err != nil {
			return malformed(f, err.Error())
		}
	}
	text, _ := NotAKind(raw, '{', "a map")
	return malformed(f, text)
}

// NotAKind tells whether the JSON text starts with a value that does not open with the
// given byte, and returns the reference's complaint that it is not what was expected ("a
// map", "a sequence"). It does not judge a text whose value is malformed.
func NotAKind(data []byte, opening byte, expected string) (text string, wrong bool) {
	start := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	if start == len(data) || data[start] == opening {
		return "", false
	}
	end := start // containers are not read before the complaint
	var what string
	switch data[start] {
	case '[':
		what = "sequence"
	case '{':
		what = "map"
	default:
		v, n, err := jsonvalue.ParsePrefix(data)
		if err != nil {
			return "", false
		}
		end = n
		switch v.Kind() {
		case jsonvalue.KindNull:
			what = "null"
		case jsonvalue.KindBool:
			what = "boolean `" + v.JSON() + "`"
		case jsonvalue.KindString:
			what = "string " + jsonvalue.QuoteDebug(v.String())
		case jsonvalue.KindFloat:
			what = "floating point `" + v.JSON() + "`"
		default:
			what = "integer `" + v.JSON() + "`"
		}
	}
	line, column := jsonvalue.Position(data[:end])
	return "invalid type: " + what + ", expected " + expected + " at line " + strconv.Itoa(line) + " column " + strconv.Itoa(column), true
}
