package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	clustertest "shoal/cluster-test"
	"time"
)

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.binary, "binary", "bin/shoal", "the program to test")
	flag.IntVar(&o.ops, "ops", 20_000, "requests to send")
	flag.Uint64Var(&o.seed, "seed", rand.Uint64N(1_000_000), "of the stream of requests")
	flag.StringVar(&o.shapes, "shapes", "1x1,1x4,3x3", "clusters to compare with the first, each NODESxSHARDS")
	flag.StringVar(&o.against, "against", "", "an older program, which must answer alike on one node with one shard")
	flag.IntVar(&o.base, "base", 1500, "documents that the first index begins with")
	flag.IntVar(&o.restartEvery, "restart-every", 400, "requests between restarts, 0 = none")
	flag.IntVar(&o.moveEvery, "move-every", 250, "requests between changes of the shards and copies of an index, 0 = none")
	flag.StringVar(&o.dir, "dir", "", "keep all data in this folder (default: a temporary one, removed)")
	flag.BoolVar(&o.hold, "hold", false, "after a difference keep the clusters up until the program is ended")
	flag.IntVar(&o.differences, "differences", 1, "differences to report before giving up")
	trace := flag.String("trace", "", "write every request to this file")
	limit := flag.Duration("limit", time.Hour, "give up after this long")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	if err := traced(ctx, o, *trace); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

// traced runs with a file for the requests, if one is wanted.
func traced(ctx context.Context, o options, path string) (err error) {
	if path != "" {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		o.trace = f
	}
	return run(ctx, o)
}

// run compares in a folder of its own.
func run(ctx context.Context, o options) error {
	remove, err := clustertest.Prepare("twins", &o.dir, &o.binary, &o.against)
	if err != nil {
		return err
	}
	defer remove()
	l, err := newLab(o)
	if err != nil {
		return err
	}
	defer l.close()
	return l.run(ctx)
}
