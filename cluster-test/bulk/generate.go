package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
)

// generate writes about size bytes of NDJSON: the documents of data again and again
// with new ids. It returns how many there are.
func generate(path, data string, size int64) (documents int, err error) {
	lines, err := bodies(data)
	if err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for written := int64(0); written < size; documents++ {
		n, err := fmt.Fprintf(w, `{"id":%d,%s`+"\n", documents, lines[documents%len(lines)])
		if err != nil {
			return 0, errors.Join(err, f.Close())
		}
		written += int64(n)
	}
	return documents, errors.Join(w.Flush(), f.Close())
}

// bodies are documents without their opening brace and their id, which comes first.
func bodies(data string) ([][]byte, error) {
	f, err := os.Open(data)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("%s is missing: using generated documents\n", data)
		return generated(), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data, err)
	}
	var out [][]byte
	in := bufio.NewScanner(z)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		_, rest, ok := bytes.Cut(in.Bytes(), []byte(","))
		if !ok || !bytes.HasPrefix(in.Bytes(), []byte(`{"id":`)) {
			return nil, fmt.Errorf("%s: a line does not begin with its id: %.100s", data, in.Bytes())
		}
		out = append(out, bytes.Clone(bytes.TrimSpace(rest)))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no documents", data)
	}
	return out, in.Err()
}

// generated makes texts of words whose frequencies fall as those of a language do.
func generated() [][]byte {
	r := rand.New(rand.NewPCG(7, 7))
	words := rand.NewZipf(r, 1.1, 4, 200_000)
	text := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%x ", words.Uint64())
		}
		return b.String()
	}
	out := make([][]byte, 20_000)
	for i := range out {
		out[i] = fmt.Appendf(nil, `"title":%q,"text":%q,"section":"s%d","year":%d}`, text(4), text(20+r.IntN(150)), r.IntN(50), 1980+r.IntN(40))
	}
	return out
}
