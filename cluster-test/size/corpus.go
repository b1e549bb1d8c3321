package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	clustertest "shoal/cluster-test"
)

// corpus are the documents of a run, its settings, and searches that fit them.
type corpus struct {
	n        int
	settings any
	// chunk appends the documents from lo on to b as NDJSON, up to hi.
	chunk func(b *bytes.Buffer, lo, hi int)
	// short are the queries shown one by one, typing those of whole files.
	short  []string
	typing []search
	// vectors are what the documents have, nil for others.
	vectors *vectors
}

// search is a body of POST /search.
type search json.RawMessage

func query(q string) search {
	b, _ := json.Marshal(map[string]string{"q": q}) // a string always has a JSON
	return search(b)
}

func (o *options) corpus() (*corpus, error) {
	var c *corpus
	var err error
	switch {
	case o.dimensions > 0:
		c = withVectors(o.seed, o.documents, o.dimensions, o.searches)
	case o.dataset == "":
		c = fromSeed(o.seed, o.documents)
	case o.dataset == "debian":
		if c, err = fromFile("../shared/datasets/debian.ndjson.gz", o.repeat); err == nil {
			err = c.debian()
		}
	default:
		c, err = fromFile(o.dataset, o.repeat)
	}
	if err == nil && o.queries != "" {
		c.typing, err = searches(o.queries)
	}
	return c, err
}

// fromSeed are n documents of generated words. A document depends on the seed and its
// id alone, so that any part can be made at any time.
func fromSeed(seed uint64, n int) *corpus {
	r := rand.New(rand.NewPCG(seed, 0))
	source := rand.NewPCG(seed, 1)
	dr := rand.New(source)
	v := newVocabulary(r)
	v.zipf = rand.NewZipf(dr, 1.08, 3, vocabularySize-1)
	c := &corpus{n: n, settings: map[string]any{
		"searchableAttributes": []string{"title", "summary", "text", "owner"},
		"filterableAttributes": []string{"section", "size", "owner"},
		"sortableAttributes":   []string{"size", "title"},
		"pagination":           map[string]int{"maxTotalHits": 2000},
	}}
	c.chunk = func(b *bytes.Buffer, lo, hi int) {
		for id := lo; id < hi; id++ {
			source.Seed(seed, uint64(id)+2)
			long := 10 + int(dr.ExpFloat64()*60)
			fmt.Fprintf(b, `{"id":%d,"title":%q,"summary":%q,"text":%q,"owner":"%s team","section":"s%d","size":%d}`+"\n",
				id, v.text(1+dr.IntN(4)), v.text(4+dr.IntN(8)), v.text(min(long, 600)), v.words[dr.IntN(2000)], dr.IntN(50), dr.IntN(1_000_000))
		}
	}
	frequent := func(rank, letters int) string { return v.words[rank][:min(letters, len(v.words[rank]))] }
	c.short = []string{
		frequent(3, 1), frequent(150, 4), v.words[90] + " " + frequent(150, 4), v.words[40] + " " + frequent(60, 5), "a b c d e f g h i j",
	}
	for range 1000 { // as people type: some words, the last one cut
		words := make([]string, 1+r.IntN(3))
		for i := range words {
			words[i] = v.words[int(r.Float64()*r.Float64()*r.Float64()*20_000)]
		}
		last := &words[len(words)-1]
		*last = (*last)[:1+r.IntN(len(*last))]
		c.typing = append(c.typing, query(strings.Join(words, " ")))
	}
	return c
}

// fromFile are the documents of a file, repeat times.
func fromFile(path string, repeat int) (*corpus, error) {
	lines, err := clustertest.ReadLines(path, math.MaxInt)
	if err != nil {
		return nil, err
	}
	for i, l := range lines {
		head, rest, ok := bytes.Cut(l, []byte(","))
		if !ok || !bytes.HasPrefix(head, []byte(`{"id":`)) {
			return nil, fmt.Errorf("%s: line %d does not begin with its id: %.100s", path, i+1, l)
		}
		lines[i] = rest
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s has no documents", path)
	}
	c := &corpus{n: len(lines) * max(repeat, 1)}
	c.chunk = func(b *bytes.Buffer, lo, hi int) {
		for i := lo; i < hi; i++ {
			fmt.Fprintf(b, `{"id":%d,%s`+"\n", i, lines[i%len(lines)])
		}
	}
	return c, nil
}

// debian sets what goes with the packages of Debian.
func (c *corpus) debian() error {
	b, err := os.ReadFile("../shared/bench/settings/debian.json")
	if err != nil {
		return err
	}
	c.settings, c.short = json.RawMessage(b), []string{"python libr", "libr", "a", "free softw", "a b c d e f g h i j"}
	c.typing, err = searches("../shared/bench/queries/debian-typing.ndjson")
	return err
}

func searches(path string) (list []search, err error) {
	lines, err := clustertest.ReadLines(path, math.MaxInt)
	for _, l := range lines {
		list = append(list, search(l))
	}
	return list, err
}
