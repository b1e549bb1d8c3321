package main

import (
	"context"
	"flag"
	"os"
	clustertest "shoal/cluster-test"
	"slices"
	"strings"
	"time"
)

// options say what is measured.
type options struct {
	binary, dir, memory string
	shape               string
	dataset, queries    string
	copies              int
	documents, repeat   int
	chunk               int
	dimensions          int
	searches            int
	seed                uint64
	writes              bool
	rate                float64
	sizes               string
	only                string
	slow                int
	profiles            string
	rounds              int
	settle              time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/shoal", "the program to measure")
	flag.StringVar(&o.dir, "dir", "", "keep the data in this folder, use what is there, and add what is missing (default: a temporary one, removed)")
	flag.StringVar(&o.memory, "memory", "", "memory limit of the node, such as 1GiB")
	flag.StringVar(&o.shape, "shape", "1x1", "NODESxSHARDS: the first node is asked; CPU and disk are those of all nodes, memory that of the largest")
	flag.IntVar(&o.copies, "copies", 2, "copies of each shard, at most as many as nodes")
	flag.StringVar(&o.dataset, "dataset", "", "debian, or an NDJSON file (may be .gz) with a number as id, in place of documents from the seed")
	flag.StringVar(&o.queries, "queries", "", "NDJSON file of searches, in place of those that fit the documents")
	flag.IntVar(&o.documents, "documents", 100_000, "number of documents from the seed")
	flag.IntVar(&o.repeat, "repeat", 1, "how often the documents of a dataset are sent")
	flag.IntVar(&o.chunk, "chunk", 50_000, "documents in a request")
	flag.IntVar(&o.dimensions, "dimensions", 0, "give the documents from the seed vectors of so many dimensions, and search by vector")
	flag.IntVar(&o.searches, "searches", 200, "number of searches by vector of each kind")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the documents and searches")
	flag.BoolVar(&o.writes, "writes", false, "measure searches beside writes too")
	flag.StringVar(&o.sizes, "sizes", "0,1,100,5000", "documents in a batch while searches are measured beside writes, a case each")
	flag.Float64Var(&o.rate, "rate", 0, "write at most so many documents a second beside searches; 0 = as fast as can be")
	flag.StringVar(&o.only, "only", "", "measure only these, divided by commas: warm, cold, writes")
	flag.IntVar(&o.slow, "slow", 0, "tell so many of the slowest searches of each line")
	flag.StringVar(&o.profiles, "profiles", "", "folder for a CPU profile and a trace of what is measured warm and beside writes")
	flag.IntVar(&o.rounds, "rounds", 1, "how often the searches are sent when warm")
	flag.DurationVar(&o.settle, "settle", 5*time.Minute, "wait at most this long until the node is idle")
	patience := flag.Duration("patience", 2*time.Hour, "give up after this long")
	flag.Parse()
	clustertest.Main(*patience, func(ctx context.Context) error { return run(ctx, o) })
}

func run(ctx context.Context, o options) error {
	remove, err := clustertest.Prepare("size", &o.dir, &o.binary)
	if err != nil {
		return err
	}
	defer remove()
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	c, err := o.corpus()
	if err != nil {
		return err
	}
	b, err := newBench(ctx, &o, c)
	if err != nil {
		return err
	}
	defer b.close()
	for _, phase := range []struct {
		name string
		run  func(context.Context) error
	}{{"", b.index}, {"warm", b.warm}, {"cold", b.cold}, {"writes", b.writes}} {
		if !o.measures(phase.name) {
			continue
		}
		if err := phase.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// measures tells whether a phase was asked for.
func (o *options) measures(phase string) bool {
	switch {
	case phase == "":
		return true
	case o.only != "":
		return slices.Contains(strings.Split(o.only, ","), phase)
	}
	return phase != "writes" || o.writes
}
