package payload

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// ReadCSV reads records under a header whose cells may name a type, as in "name:number"
// (spec write-api 6.5). See Read.
func ReadCSV(r io.Reader, delimiter byte, each func(*Document) error) (uint64, error) {
	s := newScanner(r)
	if _, ok := s.peek(); !ok {
		return 0, s.ended(CSV)
	}
	c := csvReader{scanner: s, delimiter: delimiter, line: 1}
	if err := c.skipMark(); err != nil {
		return 0, err
	}
	header, err := c.record()
	if errors.Is(err, io.EOF) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	row := newCSVRow(header)
	allowance := expansion{from: c.offset}
	for count := uint64(0); ; count++ {
		cells, err := c.record()
		if errors.Is(err, io.EOF) {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		if err := row.fill(cells, count+1); err != nil {
			return count, err
		}
		if !allowance.take(len(row.doc.Raw), c.offset) {
			return count, c.tooLarge(count + 1)
		}
		if c.open {
			row.doc.Truncated = malformedCSV("CSV parse error: record " + strconv.FormatUint(count+1, 10) +
				": the stream ends inside a quoted field")
		}
		if err := each(&row.doc); err != nil {
			return count, err
		}
	}
}

// A document repeats the names of the header, so a long header with short records would
// make documents far larger than the upload. Together the documents may be maxExpansion
// times as large as the records, plus freeExpansion bytes.
const maxExpansion, freeExpansion = 64, 16 << 20

// expansion compares the size of the documents with the bytes read.
type expansion struct {
	from uint64 // offset of the first record
	made uint64 // bytes of documents
}

// take adds a document and tells whether all documents are within bounds. offset is the end
// of its record.
func (e *expansion) take(size int, offset uint64) bool {
	e.made += uint64(size)
	return e.made <= freeExpansion+maxExpansion*(offset-e.from)
}

// malformedCSV reports a flaw of a CSV stream.
func malformedCSV(text string) *apierr.Error {
	return apierr.New(apierr.CodeMalformedPayload, "The `csv` payload provided is malformed: `"+text+"`.")
}

// column is one header cell.
type column struct {
	kind  byte // 's', 'n' or 'b'
	place int  // position of its member in the document
}

// csvRow renders records as JSON objects under one header.
type csvRow struct {
	columns []column
	cells   []int // per member, the column of its value (the last one of that name)
	values  []byte
	ends    []int
	doc     Document
}

func newCSVRow(header []string) *csvRow {
	r := &csvRow{columns: make([]column, 0, len(header)), ends: make([]int, 0, len(header))}
	places := map[string]int{}
	for i, cell := range header {
		name, kind := splitHeader(cell)
		place, known := places[name]
		if !known {
			place = len(r.doc.Members)
			places[name] = place
			r.doc.Members = append(r.doc.Members, Member{Name: name})
			r.cells = append(r.cells, i)
		}
		r.cells[place] = i
		r.columns = append(r.columns, column{kind: kind, place: place})
	}
	return r
}

// splitHeader separates the type after the last colon, if there is one.
func splitHeader(cell string) (name string, kind byte) {
	if i := strings.LastIndexByte(cell, ':'); i >= 0 {
		switch cell[i+1:] {
		case "string":
			return cell[:i], 's'
		case "number":
			return cell[:i], 'n'
		case "boolean":
			return cell[:i], 'b'
		}
	}
	return cell, 's'
}

// fill sets r.doc from the cells of data record n (from 1).
func (r *csvRow) fill(cells []string, n uint64) error {
	r.values, r.ends = r.values[:0], r.ends[:0]
	for i, c := range r.columns {
		var err error
		if r.values, err = appendCell(r.values, cells[i], c.kind, n); err != nil {
			return err
		}
		r.ends = append(r.ends, len(r.values))
	}
	for place, i := range r.cells {
		from := 0
		if i > 0 {
			from = r.ends[i-1]
		}
		r.doc.Members[place].Value = r.values[from:r.ends[i]]
	}
	r.doc.Raw = r.doc.AppendObject(r.doc.Raw[:0])
	return nil
}

// appendCell renders one cell as a JSON value of its column's type.
func appendCell(dst []byte, cell string, kind byte, n uint64) ([]byte, error) {
	if kind == 's' {
		if cell == "" {
			return append(dst, "null"...), nil
		}
		return jsonvalue.AppendString(dst, cell), nil
	}
	trimmed := strings.TrimSpace(cell)
	if trimmed == "" {
		return append(dst, "null"...), nil
	}
	if kind == 'b' {
		if trimmed == "true" || trimmed == "false" {
			return append(dst, trimmed...), nil
		}
		return dst, malformedCSV("Error parsing boolean " + jsonvalue.QuoteDebug(cell) + " at line " +
			strconv.FormatUint(n, 10) + ": provided string was not `true` or `false`")
	}
	if i, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
		return strconv.AppendInt(dst, i, 10), nil
	}
	f, ok := parseFloat(trimmed)
	if !ok {
		return dst, malformedCSV("Error parsing number " + jsonvalue.QuoteDebug(cell) + " at line " +
			strconv.FormatUint(n, 10) + ": invalid float literal")
	}
	return jsonvalue.AppendFloat(dst, f), nil
}

// parseFloat accepts decimal literals with an optional sign, point and exponent, and the
// words inf, infinity and nan in any case. Too large numbers are infinite.
func parseFloat(s string) (float64, bool) {
	body := strings.TrimPrefix(s, "+")
	if body == s {
		body = strings.TrimPrefix(s, "-")
	}
	switch strings.ToLower(body) {
	case "inf", "infinity":
		return math.Inf(1), true
	case "nan":
		return math.NaN(), true
	}
	digits := 0
	rest := strings.TrimLeft(body, "0123456789")
	digits += len(body) - len(rest)
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = strings.TrimLeft(fraction, "0123456789")
		digits += len(fraction) - len(rest)
	}
	if digits == 0 {
		return 0, false
	}
	if rest != "" {
		if rest[0]|0x20 != 'e' {
			return 0, false
		}
		exponent := strings.TrimLeft(rest[1:], "0123456789")
		if len(rest) == 1 || exponent != "" {
			sign := rest[1:]
			if sign == "" || (sign[0] != '+' && sign[0] != '-') || sign[1:] == "" ||
				strings.TrimLeft(sign[1:], "0123456789") != "" {
				return 0, false
			}
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return f, true
}
