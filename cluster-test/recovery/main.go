package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	binary := flag.String("binary", "bin/shoal", "the program")
	times := flag.Int("times", 20, "rounds of each kind")
	only := flag.String("only", "", "kinds to measure, by parts of their names and commas")
	copies := flag.Int("copies", 2, "copies of each shard; 0: by size, so that each of the three nodes has one")
	limit := flag.Duration("limit", 2*time.Hour, "give up after this long")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	if err := measureAll(ctx, os.Stdout, *binary, *times, *copies, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

// measureAll measures the chosen kinds, each on a cluster of its own, and prints the
// table line by line.
func measureAll(ctx context.Context, out io.Writer, binary string, times, copies int, only []string) error {
	path, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-22s %6s  %-25s %-25s %s\n", "", "rounds", "writes silent (p50, max)", "searches silent (p50, max)", "failed searches")
	for _, k := range kinds {
		if !slices.ContainsFunc(only, func(part string) bool { return strings.Contains(k.name, part) }) {
			continue
		}
		f, err := measure(ctx, path, k, times, copies)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		fmt.Fprintf(out, "%-22s %6d  %-25s %-25s %d of %d\n", k.name, times, spread(f.writes), spread(f.searches), f.failed, f.asked)
	}
	return nil
}

// figures are those of all rounds of a kind.
type figures struct {
	writes, searches []time.Duration
	failed, asked    int
}

// measure runs the rounds of a kind.
func measure(ctx context.Context, binary string, k kind, times, copies int) (f figures, err error) {
	l, err := newLab(ctx, binary, copies)
	if err != nil {
		return f, err
	}
	defer func() {
		if err != nil {
			l.tell(os.Stderr)
		}
		err = errors.Join(err, l.close())
	}()
	for round := range times {
		s, err := l.round(ctx, k, round)
		if err != nil {
			return f, fmt.Errorf("round %d: %w", round, err)
		}
		f.writes, f.searches = append(f.writes, s.writes), append(f.searches, s.searches)
		f.failed, f.asked = f.failed+s.failed, f.asked+s.asked
	}
	return f, nil
}

// spread tells the median and the worst.
func spread(d []time.Duration) string {
	slices.Sort(d)
	return fmt.Sprintf("%6d ms, %6d ms", d[len(d)/2].Milliseconds(), d[len(d)-1].Milliseconds())
}
