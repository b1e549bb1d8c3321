package documents

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Format is the format of documents in a file.
type Format struct {
	Name        string // json, ndjson, csv or elasticsearch
	ContentType string // of uploads
}

var formats = map[string]Format{
	"json": {"json", "application/json"}, "ndjson": {"ndjson", "application/x-ndjson"}, "jsonl": {"ndjson", "application/x-ndjson"}, "csv": {"csv", "text/csv"},
	"elasticsearch": {"elasticsearch", "application/x-ndjson"},
}

// FormatOf returns the format that is given or, if that is "", the one that the name of the
// file says, which may end in .gz or .zst. Its error is a mistake on the command line.
func FormatOf(path, given string) (Format, error) {
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
		return Format{}, fmt.Errorf("%s: the format is not clear from the name: give --format json, ndjson, csv or elasticsearch", path)
	}
	return f, nil
}

// Unpack decompresses a gzip or zstd file, recognised by its first bytes, and returns other
// files unchanged. Closing what it returns does not close r.
func Unpack(r io.Reader) (io.ReadCloser, error) {
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
