package payload

import (
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// csvReader splits a stream into records: fields between delimiters, quoted with
// double quotes that are doubled inside; a record ends at \n, \r or \r\n; blank
// lines are skipped; a quote inside an unquoted field is an ordinary byte, and
// text behind a closing quote belongs to the field.
type csvReader struct {
	scanner   *scanner
	delimiter byte

	offset uint64 // bytes consumed
	line   uint64 // of the next byte, from 1
	number uint64 // of the next record, the header is 0
	// fieldCount is that of the header.
	fieldCount int

	text  []byte
	ends  []int
	cells []string
	open  bool // the stream ended inside a quoted field
}

// skipMark drops a UTF-8 byte order mark.
func (c *csvReader) skipMark() error {
	s := c.scanner
	for s.end-s.pos < 3 && s.fill() {
	}
	if s.failed != nil && !errors.Is(s.failed, io.EOF) {
		return s.failed
	}
	if s.end-s.pos >= 3 && string(s.buf[s.pos:s.pos+3]) == "\xef\xbb\xbf" {
		s.pos += 3
		c.offset = 3
	}
	return nil
}

// next consumes one byte.
func (c *csvReader) next() (byte, bool) {
	b, ok := c.scanner.next()
	if ok {
		c.offset++
		if b == '\n' {
			c.line++
		}
	}
	return b, ok
}

// record returns the next record, or io.EOF. The slice is valid until the
// next call.
func (c *csvReader) record() ([]string, error) {
	c.text, c.ends = c.text[:0], c.ends[:0]
	line, offset := c.line, c.offset
	if !c.split() {
		if s := c.scanner; !errors.Is(s.failed, io.EOF) {
			return nil, s.failed
		}
		return nil, io.EOF
	}
	place := func(lineWord string) string {
		return "record " + strconv.FormatUint(c.number, 10) + " (line" + lineWord + strconv.FormatUint(line, 10)
	}
	bytesAt := ", byte: " + strconv.FormatUint(offset, 10) + "): "
	if c.number == 0 {
		c.fieldCount = len(c.ends)
	} else if len(c.ends) != c.fieldCount {
		return nil, malformedCSV("CSV error: " + place(": ") + bytesAt + "found record with " +
			strconv.Itoa(len(c.ends)) + " fields, but the previous record has " + strconv.Itoa(c.fieldCount) + " fields")
	}
	c.cells = c.cells[:0]
	text, from := string(c.text), 0
	for i, to := range c.ends {
		cell := c.text[from:to]
		if valid := validPrefix(cell); valid < len(cell) {
			field := strconv.Itoa(i)
			return nil, malformedCSV("CSV parse error: " + place(" ") + ", field: " + field + bytesAt +
				"invalid utf-8: invalid UTF-8 in field " + field + " near byte index " + strconv.Itoa(valid))
		}
		c.cells = append(c.cells, text[from:to])
		from = to
	}
	c.number++
	return c.cells, nil
}

// split reads the fields of one record into text and ends; ok is false when the
// stream ended before it began, or failed.
func (c *csvReader) split() (ok bool) {
	b, ok := c.next()
	for ok && (b == '\n' || b == '\r') {
		b, ok = c.next()
	}
	if !ok {
		return false
	}
	for {
		if b == '"' {
			b, ok = c.quoted()
		}
		for ok && b != c.delimiter && b != '\n' && b != '\r' {
			c.text = append(c.text, b)
			b, ok = c.next()
		}
		c.ends = append(c.ends, len(c.text))
		if !ok {
			return errors.Is(c.scanner.failed, io.EOF)
		}
		if b != c.delimiter {
			return true
		}
		if b, ok = c.next(); !ok {
			// A delimiter at the very end starts one more, empty, field.
			c.ends = append(c.ends, len(c.text))
			return errors.Is(c.scanner.failed, io.EOF)
		}
	}
}

// quoted reads a quoted field to its closing quote and returns the byte behind
// it.
func (c *csvReader) quoted() (byte, bool) {
	for {
		b, ok := c.next()
		if !ok {
			c.open = true
			return 0, false
		}
		if b != '"' {
			c.text = append(c.text, b)
			continue
		}
		if b, ok = c.next(); !ok || b != '"' {
			return b, ok
		}
		c.text = append(c.text, '"')
	}
}

// validPrefix is the number of bytes before the first that is not UTF-8.
func validPrefix(b []byte) int {
	if utf8.Valid(b) {
		return len(b)
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}
