package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	clustertest "shoal/cluster-test"
)

func main() {
	binary := flag.String("binary", "bin/shoal", "the program to test")
	data := flag.String("documents", "../shared/datasets/movies.ndjson.gz", "NDJSON to import; generated when missing")
	queries := flag.String("queries", "../shared/bench/queries/movies-mixed.ndjson", "searches, one JSON object a line; generated when missing")
	keep := flag.String("dir", "", "keep all data in this folder (default: a temporary one, removed)")
	limit := flag.Duration("limit", 8*time.Minute, "give up after this long")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	if err := run(ctx, *binary, *data, *queries, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, data, queries, dir string) error {
	if dir == "" {
		tmp, err := os.MkdirTemp("", "shoal-cluster-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	docs, err := documents(data)
	if err != nil {
		return err
	}
	qs, err := searches(queries)
	if err != nil {
		return err
	}
	s := &story{start: time.Now(), docs: docs, queries: qs}
	c, err := clustertest.New(binary, dir, 3)
	if err != nil {
		return err
	}
	defer c.Close()
	s.c = c
	for _, step := range []func(context.Context) error{s.form, s.importUnderFire, s.sameAnswers, s.join, s.powerLoss} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.say("all of it held: %d documents, %d queries, 4 nodes, 1 leader killed, 1 power loss", len(docs), len(qs))
	return nil
}

// documents reads the lines of a data set, or makes some when it is missing.
func documents(path string) ([][]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("%s is missing: using 20,000 generated documents\n", path)
		return generated(20_000), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var docs [][]byte
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		docs = append(docs, append(bytes.Clone(sc.Bytes()), '\n'))
	}
	return docs, sc.Err()
}

var words = []string{"harbour", "lantern", "meadow", "granite", "violin", "comet", "orchard", "ferry", "copper", "willow", "thunder", "atlas",
	"bridge", "canyon", "ember", "falcon", "glacier", "island", "juniper", "kettle", "marble", "needle", "oyster", "pepper", "quarry", "ribbon"}

func generated(n int) [][]byte {
	r := rand.New(rand.NewPCG(7, 7))
	pick := func(k int) string {
		var b bytes.Buffer
		for i := range k {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[r.IntN(len(words))])
		}
		return b.String()
	}
	docs := make([][]byte, n)
	for i := range docs {
		docs[i] = fmt.Appendf(nil, `{"id":%d,"title":%q,"extract":%q,"year":%d,"genres":[%q]}`+"\n", i, pick(3), pick(30), 1900+r.IntN(120), pick(1))
	}
	return docs
}

// searches reads queries; only the ones a plain index can answer are needed, so
// filters and sorts rely on the settings that form applies.
func searches(path string) ([]json.RawMessage, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var qs []json.RawMessage
		for i := range 200 {
			qs = append(qs, fmt.Appendf(nil, `{"q":%q,"limit":20,"facets":["genres"],"showRankingScore":true}`, words[i%len(words)]+" "+words[i*7%len(words)]))
		}
		return qs, nil
	}
	if err != nil {
		return nil, err
	}
	var qs []json.RawMessage
	for _, l := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		if len(qs) == 200 {
			break
		}
		qs = append(qs, l)
	}
	return qs, nil
}
