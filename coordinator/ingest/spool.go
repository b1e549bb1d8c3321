package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// CountedReader counts the bytes read and ends with its context.
type CountedReader struct {
	Ctx    context.Context
	Source io.Reader
	Bytes  int64
}

func (c *CountedReader) Read(b []byte) (int, error) {
	if err := c.Ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.Source.Read(b)
	c.Bytes += int64(n)
	return n, err
}

// Spool holds a staged payload: in memory while it fits into a log entry, in a temporary file
// beyond.
type Spool struct {
	Dir  string
	Mem  bytes.Buffer
	File *os.File
	Size int64
}

func (s *Spool) Write(b []byte) (int, error) {
	if s.File == nil {
		if s.Mem.Len()+len(b) <= InlinePayload {
			s.Size += int64(len(b))
			return s.Mem.Write(b)
		}
		f, err := os.CreateTemp(s.Dir, "upload-*")
		if err != nil {
			return 0, fmt.Errorf("staging a payload: %w", err)
		}
		s.File = f
		if _, err := f.Write(s.Mem.Bytes()); err != nil {
			return 0, fmt.Errorf("staging a payload: %w", err)
		}
		s.Mem = bytes.Buffer{}
	}
	n, err := s.File.Write(b)
	s.Size += int64(n)
	return n, err
}

// Open returns the content of a spool that is in a file.
func (s *Spool) Open() (io.Reader, error) {
	if _, err := s.File.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return s.File, nil
}

// Close removes the temporary file.
func (s *Spool) Close() error {
	if s.File == nil {
		return nil
	}
	return errors.Join(s.File.Close(), os.Remove(s.File.Name()))
}

// InlinePayload bounds a payload inside a log entry, in bytes (architecture 5).
const InlinePayload = 16 << 10
