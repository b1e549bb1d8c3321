package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// options say what a run does.
type options struct {
	addresses []string
	ours      int // which of the two is ours; -1 when both are of one make
	seed      uint64
	seeds     int
	steps     int
	base      int
	trials    int
	documents string // a file with real ones; "" for none
	out       io.Writer
}

func main() {
	o := options{out: os.Stdout}
	flag.Uint64Var(&o.seed, "seed", rand.Uint64N(1_000_000), "of the life")
	flag.IntVar(&o.seeds, "seeds", 1, "how many seeds, from the first one on")
	flag.IntVar(&o.steps, "steps", 5000, "requests to send for each seed")
	flag.IntVar(&o.ours, "ours", -1, "which address is a server of ours (0 or 1), so that what it does on purpose is no difference; -1: none, or both")
	flag.IntVar(&o.base, "base", 300, "documents that the first index begins with, and that of real ones")
	flag.IntVar(&o.trials, "trials", 300, "sequences to try while a kind of difference is made smaller")
	flag.StringVar(&o.documents, "documents", "", "a file of real documents with the key id, one in a line, NDJSON or that compressed by gzip: an index of them is searched, too")
	binary := flag.String("binary", "bin/shoal", "without addresses: the program that is compared with itself, one node with three")
	limit := flag.Duration("limit", 2*time.Hour, "give up after this long")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "differ [options] [ADDRESS ADDRESS]    each HOST:PORT or KEY@HOST:PORT; both are emptied")
		flag.PrintDefaults()
	}
	flag.Parse()
	if o.addresses = flag.Args(); len(o.addresses) != 0 && len(o.addresses) != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	found, err := compared(ctx, o, *binary)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	case len(found.kinds) > 0:
		os.Exit(1)
	}
}

func compared(ctx context.Context, o options, binary string) (*report, error) {
	if len(o.addresses) == 0 {
		return runOurs(ctx, o, binary)
	}
	return run(ctx, o)
}

// command repeats a run.
func (o *options) command() string {
	return fmt.Sprintf("go run -tags hashicorpmetrics,grpcnotrace ./cluster-test/differ -seed %d -seeds %d -steps %d -base %d -ours %d -documents %q %s", o.seed, o.seeds, o.steps, o.base, o.ours, o.documents, strings.Join(o.addresses, " "))
}
