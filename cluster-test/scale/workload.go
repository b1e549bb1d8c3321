package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// workload are the documents and the searches, the same for all clusters.
type workload struct {
	settings  json.RawMessage
	documents []byte // NDJSON
	files     []searches
}

// searches are those of one file, each a request.
type searches struct {
	name string
	list []json.RawMessage
}

func (o *options) workload() (*workload, error) {
	w := &workload{}
	settings, err := os.ReadFile(filepath.Join(o.shared, "bench", "settings", o.dataset+".json"))
	if err != nil {
		return nil, err
	}
	w.settings = settings
	lines, err := readLines(filepath.Join(o.shared, "datasets", o.dataset+".ndjson.gz"))
	if err != nil {
		return nil, err
	}
	if o.documents > 0 {
		lines = lines[:min(o.documents, len(lines))]
	}
	w.documents = bytes.Join(lines, []byte("\n"))
	for _, name := range o.files {
		lines, err := readLines(filepath.Join(o.shared, "bench", "queries", o.dataset+"-"+name+".ndjson"))
		if err != nil {
			return nil, err
		}
		s := searches{name: name}
		for _, l := range lines {
			s.list = append(s.list, l)
		}
		if len(s.list) == 0 {
			return nil, fmt.Errorf("no searches are in the file %s", name)
		}
		w.files = append(w.files, s)
	}
	return w, nil
}

// readLines reads the lines of a file that are not empty; it may be gzip.
func readLines(path string) (lines [][]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		if len(in.Bytes()) > 0 {
			lines = append(lines, bytes.Clone(in.Bytes()))
		}
	}
	return lines, in.Err()
}
