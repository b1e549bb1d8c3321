package ctl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// format is the format of documents in a file.
type format struct {
	name string
	kind string // content type
}

var formats = map[string]format{
	"json": {"json", "application/json"}, "ndjson": {"ndjson", "application/x-ndjson"}, "jsonl": {"ndjson", "application/x-ndjson"}, "csv": {"csv", "text/csv"},
	"elasticsearch": {"elasticsearch", "application/x-ndjson"},
}

// formatOf derives the format from a file's name, ignoring a compression suffix.
func formatOf(path, given string) (format, error) {
	name := given
	if name == "" {
		base := strings.ToLower(filepath.Base(path))
		for _, packed := range []string{".gz", ".zst"} {
			base = strings.TrimSuffix(base, packed)
		}
		name = strings.TrimPrefix(filepath.Ext(base), ".")
	}
	f, ok := formats[name]
	if !ok {
		return format{}, Usage{fmt.Errorf("%s: the format is not clear from the name: give --format json, ndjson, csv or elasticsearch", path)}
	}
	return f, nil
}

// unpack decompresses a gzip or zstd file, recognised by its first bytes, and returns other
// files unchanged.
func unpack(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(b)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return io.NopCloser(b), nil
}

// batch is a part of a file that is a valid upload.
type batch struct {
	body      []byte
	documents int
	// end is the number of the file's documents in this and all earlier batches.
	end int64
}

// batches cuts a file of documents into uploads of about size bytes. It reads the
// file once and keeps one batch in memory.
type batches struct {
	size  int
	count int64
	next  func() ([]byte, error) // one document as it is sent, io.EOF at the end
	// before, between and after join documents into an upload.
	before, between, after []byte
	pending                []byte // read, but did not fit into the last batch
}

// newBatches returns the batches of r. key and update are those of an import from
// Elasticsearch (see hits).
func newBatches(r io.Reader, f format, size int, key string, update bool) (*batches, error) {
	b := &batches{size: size}
	switch f.name {
	case "ndjson":
		b.next, b.after = lines(r), []byte("\n")
		b.between = []byte("\n")
	case "json":
		next, err := elements(r)
		if err != nil {
			return nil, err
		}
		b.next, b.before, b.between, b.after = next, []byte("["), []byte(","), []byte("]")
	case "elasticsearch":
		h, err := newHits(r, key, update)
		if err != nil {
			return nil, err
		}
		b.next, b.between, b.after = h.next, []byte("\n"), []byte("\n")
	case "csv":
		header, next, err := records(r)
		if err != nil {
			return nil, err
		}
		b.next, b.before = next, header
	}
	return b, nil
}

// read returns the next batch, io.EOF after the last one.
func (b *batches) read() (*batch, error) {
	out := &batch{body: append([]byte(nil), b.before...)}
	for {
		doc := b.pending
		b.pending = nil
		if doc == nil {
			var err error
			if doc, err = b.next(); errors.Is(err, io.EOF) {
				if out.documents == 0 {
					return nil, io.EOF
				}
				break
			} else if err != nil {
				return nil, fmt.Errorf("document %d: %w", b.count+1, err)
			}
		}
		if out.documents > 0 && len(out.body)+len(doc) > b.size {
			b.pending = doc
			break
		}
		if out.documents > 0 {
			out.body = append(out.body, b.between...)
		}
		out.body = append(out.body, doc...)
		out.documents++
		b.count++
	}
	out.body = append(out.body, b.after...)
	out.end = b.count
	return out, nil
}

// largestLine bounds one document.
const largestLine = 256 << 20

func lines(r io.Reader) func() ([]byte, error) {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<16), largestLine)
	return func() ([]byte, error) {
		for s.Scan() {
			if line := bytes.TrimSpace(s.Bytes()); len(line) > 0 {
				return bytes.Clone(line), nil
			}
		}
		if err := s.Err(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
}

// firstByte returns the first byte of a JSON text, which is left unread.
func firstByte(r io.Reader) (*bufio.Reader, byte, error) {
	b := bufio.NewReader(r)
	for {
		c, err := b.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil, 0, errors.New("the file is empty")
		} else if err != nil {
			return nil, 0, err
		}
		if !strings.ContainsRune(" \t\r\n\ufeff", rune(c)) {
			return b, c, b.UnreadByte()
		}
	}
}

// cutOff is the error of a text that ends within a list: not at its end.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// listEnd reads the end of a list.
func listEnd(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("the list does not end: %w", cutOff(err))
	}
	return nil
}

// elements reads the documents of a JSON array, or the one object that a file may
// hold instead.
func elements(r io.Reader) (func() ([]byte, error), error) {
	b, first, err := firstByte(r)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(b)
	if first == '[' {
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	}
	once := first != '['
	done := false
	return func() ([]byte, error) {
		if done {
			return nil, io.EOF
		}
		if !once && !d.More() {
			done = true
			if err := listEnd(d); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		done = once
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, cutOff(err)
		}
		return raw, nil
	}, nil
}

// records reads a CSV file: its header line, and then each record as written, on as many
// lines as it takes.
func records(r io.Reader) (header []byte, next func() ([]byte, error), err error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1 // the server says what is wrong with a record
	c.ReuseRecord = true
	record := func() ([]byte, error) {
		fields, err := c.Read()
		if err != nil {
			return nil, err
		}
		var line bytes.Buffer
		w := csv.NewWriter(&line)
		if err := w.Write(fields); err != nil {
			return nil, err
		}
		w.Flush()
		return line.Bytes(), w.Error()
	}
	if header, err = record(); errors.Is(err, io.EOF) {
		return nil, nil, errors.New("the file is empty")
	}
	return header, record, err
}
