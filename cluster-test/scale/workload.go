package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	clustertest "shoal/cluster-test"
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
	lines, err := clustertest.ReadLines(filepath.Join(o.shared, "datasets", o.dataset+".ndjson.gz"), math.MaxInt)
	if err != nil {
		return nil, err
	}
	if o.documents > 0 {
		lines = lines[:min(o.documents, len(lines))]
	}
	w.documents = bytes.Join(lines, []byte("\n"))
	for _, name := range o.files {
		lines, err := clustertest.ReadLines(filepath.Join(o.shared, "bench", "queries", o.dataset+"-"+name+".ndjson"), math.MaxInt)
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
