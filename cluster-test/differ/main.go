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
	seed      uint64
	steps     int
	base      int
	trials    int
	out       io.Writer
}

func main() {
	o := options{out: os.Stdout}
	flag.Uint64Var(&o.seed, "seed", rand.Uint64N(1_000_000), "of the life")
	flag.IntVar(&o.steps, "steps", 5000, "requests to send")
	flag.IntVar(&o.base, "base", 300, "documents that the first index begins with")
	flag.IntVar(&o.trials, "trials", 300, "sequences to try while a difference is made smaller")
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
	case found != nil:
		os.Exit(1)
	}
}

func compared(ctx context.Context, o options, binary string) (*difference, error) {
	if len(o.addresses) == 0 {
		return runOurs(ctx, o, binary)
	}
	return run(ctx, o)
}

// command repeats a run.
func (o *options) command() string {
	return fmt.Sprintf("go run -tags hashicorpmetrics,grpcnotrace ./cluster-test/differ -seed %d -steps %d -base %d %s", o.seed, o.steps, o.base, strings.Join(o.addresses, " "))
}
