package clustertest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadLines reads the first lines of a file that are not blank. most bounds their number, and
// each has at most 16 MiB. A file whose name ends with .gz is decompressed. The caller owns
// the lines.
func ReadLines(path string, most int) (lines [][]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 16<<20)
	for len(lines) < most && in.Scan() {
		if len(bytes.TrimSpace(in.Bytes())) > 0 {
			lines = append(lines, bytes.Clone(in.Bytes()))
		}
	}
	return lines, in.Err()
}
