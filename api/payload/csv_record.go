package payload

import (
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// csvReader splits a stream into records of fields between delimiters. A quote inside a
// quoted field is doubled. A record ends at \n, \r or \r\n, and blank lines are skipped. A
// quote inside an unquoted field is an ordinary byte. Text after a closing quote belongs to
// the field.
type csvReader struct {
	scanner   *scanner
	delimiter byte

	offset uint64 // bytes consumed
	line   uint64 // of the next byte, from 1
	number uint64 // of the next record, the header is 0
	// fieldCount is the number of fields of the header. fields counts the current record,
	// of which only as many fields are kept as a correct record has.
	fieldCount, fields int

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

// record returns the next record, or io.EOF. The slice is valid until the next call.
func (c *csvReader) record() ([]string, error) {
	c.text, c.ends, c.fields = c.text[:0], c.ends[:0], 0
	line, offset := c.line, c.offset
	if !c.split() {
		if s := c.scanner; !errors.Is(s.failed, io.EOF) {
			return nil, s.failed
		}
		return nil, io.EOF
	}
	if c.number == 0 && c.fields > MaxMembers {
		return nil, malformedCSV("CSV error: record 0 (line: " + strconv.FormatUint(line, 10) + ", byte: " + strconv.FormatUint(offset, 10) +
			"): found record with " + strconv.Itoa(c.fields) + " fields, but a document cannot contain more than 65,535 fields")
	}
	place := func(lineWord string) string {
		return "record " + strconv.FormatUint(c.number, 10) + " (line" + lineWord + strconv.FormatUint(line, 10)
	}
	bytesAt := ", byte: " + strconv.FormatUint(offset, 10) + "): "
	if c.number == 0 {
		c.fieldCount = c.fields
	} else if c.fields != c.fieldCount {
		return nil, malformedCSV("CSV error: " + place(": ") + bytesAt + "found record with " +
			strconv.Itoa(c.fields) + " fields, but the previous record has " + strconv.Itoa(c.fieldCount) + " fields")
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

// split reads the fields of one record into text and ends. ok is false if the stream ended
// before the record or failed.
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
		c.endField()
		if !ok {
			return errors.Is(c.scanner.failed, io.EOF)
		}
		if b != c.delimiter {
			return true
		}
		if b, ok = c.next(); !ok {
			// A delimiter at the very end starts one more, empty, field.
			c.endField()
			return errors.Is(c.scanner.failed, io.EOF)
		}
	}
}

// endField ends the current field. Fields beyond those of a correct record are counted but
// not kept.
func (c *csvReader) endField() {
	c.fields++
	if most := max(c.fieldCount, 1); c.fields > most && c.number > 0 || c.fields > MaxMembers {
		if len(c.ends) > 0 {
			c.text = c.text[:c.ends[len(c.ends)-1]]
		}
		return
	}
	c.ends = append(c.ends, len(c.text))
}

// tooLarge reports that the documents are too large for their records. number is the newest
// record.
func (c *csvReader) tooLarge(number uint64) error {
	return malformedCSV("CSV error: record " + strconv.FormatUint(number, 10) + " (line: " + strconv.FormatUint(c.line, 10) + ", byte: " +
		strconv.FormatUint(c.offset, 10) + "): with the names of the header the records become more than " + strconv.Itoa(maxExpansion) + " times as large")
}

// quoted reads a quoted field up to its closing quote and returns the byte after it.
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

// validPrefix is the number of bytes before the first invalid UTF-8.
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
