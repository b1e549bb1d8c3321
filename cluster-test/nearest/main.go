package main

import (
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	clustertest "shoal/cluster-test"
	"time"
)

// options say what a run does.
type options struct {
	binary, dir, shapes, memory string
	seed                        uint64
	documents, searches         int
	changeEvery, restartEvery   int
	out                         io.Writer
}

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.binary, "binary", "bin/shoal", "the program to test")
	flag.StringVar(&o.shapes, "shapes", "1x1,1x4,3x3", "clusters, each NODESxSHARDS")
	flag.StringVar(&o.memory, "memory", "", "memory limit of each node, such as 256MiB")
	flag.Uint64Var(&o.seed, "seed", rand.Uint64N(1_000_000), "of documents and searches")
	flag.IntVar(&o.documents, "documents", 6000, "documents at the start")
	flag.IntVar(&o.searches, "searches", 10_000, "searches on each cluster")
	flag.IntVar(&o.changeEvery, "change-every", 50, "searches between changes of documents")
	flag.IntVar(&o.restartEvery, "restart-every", 2500, "searches between restarts of all nodes, 0 = none")
	limit := flag.Duration("limit", time.Hour, "give up after this long")
	flag.Parse()
	clustertest.Main(*limit, func(ctx context.Context) error { return run(ctx, o) })
}

// run compares in a temporary folder, unless the options name one.
func run(ctx context.Context, o options) error {
	remove, err := clustertest.Prepare("nearest", &o.dir, &o.binary)
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
