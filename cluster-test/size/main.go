package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// options say what is measured.
type options struct {
	binary, dir, memory string
	dataset, queries    string
	documents, repeat   int
	chunk               int
	seed                uint64
	writes              bool
	rounds              int
	settle              time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/shoal", "the program to measure")
	flag.StringVar(&o.dir, "dir", "", "keep the data in this folder, and use what is there (default: a temporary one, removed)")
	flag.StringVar(&o.memory, "memory", "", "memory limit of the node, such as 1GiB")
	flag.StringVar(&o.dataset, "dataset", "", "debian, or an NDJSON file (may be .gz) with a number as id, in place of documents from the seed")
	flag.StringVar(&o.queries, "queries", "", "NDJSON file of searches, in place of those that fit the documents")
	flag.IntVar(&o.documents, "documents", 100_000, "number of documents from the seed")
	flag.IntVar(&o.repeat, "repeat", 1, "how often the documents of a dataset are sent")
	flag.IntVar(&o.chunk, "chunk", 50_000, "documents in a request")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the documents and searches")
	flag.BoolVar(&o.writes, "writes", false, "measure searches beside writes too")
	flag.IntVar(&o.rounds, "rounds", 1, "how often the searches are sent when warm")
	flag.DurationVar(&o.settle, "settle", 5*time.Minute, "wait at most this long until the node is idle")
	patience := flag.Duration("patience", 2*time.Hour, "give up after this long")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "shoal-size-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
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
	for _, phase := range []func(context.Context) error{b.index, b.warm, b.cold, b.writes} {
		if err := phase(ctx); err != nil {
			return err
		}
	}
	return nil
}
