package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// traffic is what nodes have said to each other on behalf of searches.
type traffic struct{ messages, bytes float64 }

// traffic sums up what all nodes have sent; nothing for programs that do not count.
func (t *target) traffic(ctx context.Context) (sum traffic, err error) {
	return sum, t.metrics(ctx, sum.add)
}

// metrics tells the lines of /metrics of all nodes.
func (t *target) metrics(ctx context.Context, tell func(line string) error) error {
	for _, n := range t.cluster.Nodes {
		err := n.ReadWatched(ctx, "/metrics", func(r io.Reader) error {
			in := bufio.NewScanner(r)
			in.Buffer(nil, 1<<20)
			for in.Scan() {
				if err := tell(in.Text()); err != nil {
					return err
				}
			}
			return in.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lacking is how many documents of all nodes have no columns yet: searches read their records
// instead, and cost more.
func (t *target) lacking(ctx context.Context) (sum float64, err error) {
	err = t.metrics(ctx, func(line string) error {
		number, ok := strings.CutPrefix(line, "shoal_columns_lacking_documents ")
		if !ok {
			return nil
		}
		v, err := strconv.ParseFloat(number, 64)
		sum += v
		return err
	})
	return sum, err
}

// add takes in a line of /metrics.
func (s *traffic) add(line string) error {
	if !strings.Contains(line, `direction="sent"`) || !strings.Contains(line, `method="shard.search"`) {
		return nil
	}
	to := &s.messages
	if strings.HasPrefix(line, "shoal_link_bytes_total") {
		to = &s.bytes
	}
	v, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
	*to += v
	return err
}

// profiles lets each cluster answer for a turn more while all its nodes take a CPU
// profile. go tool pprof takes those of several nodes together.
func profiles(ctx context.Context, o *options, all []*target, w *workload) error {
	if err := os.MkdirAll(o.profiles, 0o700); err != nil {
		return err
	}
	for _, file := range w.files {
		for _, t := range all {
			if err := t.profile(ctx, o, &file); err != nil {
				return err
			}
		}
	}
	fmt.Printf("\nProfiles are in %s: go tool pprof %s %s\n", o.profiles, o.binary, filepath.Join(o.profiles, all[len(all)-1].name+"-*.pprof"))
	return nil
}

func (t *target) profile(ctx context.Context, o *options, s *searches) error {
	var taking sync.WaitGroup
	errs := make([]error, len(t.cluster.Nodes))
	path := fmt.Sprintf("/debug/pprof/profile?seconds=%d", max(1, int(o.turn.Seconds())))
	for i, n := range t.cluster.Nodes {
		taking.Go(func() {
			name := fmt.Sprintf("%s-%s-%s.pprof", strings.ReplaceAll(t.name, "/", "-"), s.name, n.Name)
			errs[i] = n.SaveWatched(ctx, path, filepath.Join(o.profiles, name))
		})
	}
	var r result
	err := r.turn(ctx, t, t.cluster.Nodes[:1], s, until{time: o.turn}, 1, 0)
	taking.Wait()
	return errors.Join(errors.Join(errs...), err)
}
