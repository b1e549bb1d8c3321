package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	clustertest "shoal/cluster-test"
	"strings"
	"time"
)

func main() {
	o := options{out: os.Stdout}
	minutes := flag.Int("minutes", 5, "how long")
	only := flag.String("only", "", "kinds of harm, by commas; all if empty")
	flag.Uint64Var(&o.seed, "seed", rand.Uint64N(1_000_000), "of requests and harms")
	flag.DurationVar(&o.storm, "storm", 40*time.Second, "how long each round is not left alone")
	flag.IntVar(&o.nodes, "nodes", 3, "how many nodes there are at first")
	flag.StringVar(&o.binary, "binary", "bin/shoal", "the program to test")
	flag.StringVar(&o.dir, "dir", "", "keep all data in this folder (default: a temporary one, removed)")
	flag.StringVar(&o.plant, "plant", "", "a fault that must be found: lost, twice, forgotten, torn")
	flag.Parse()
	o.length = time.Duration(*minutes) * time.Minute
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	remove, err := clustertest.Prepare("ledger", &o.dir, &o.binary)
	if err != nil {
		return err
	}
	defer remove()
	return lead(ctx, o)
}
