package documents

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

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
