package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	clustertest "shoal/cluster-test"
)

// heap is what the memory of a node is used for, in bytes.
type heap struct {
	// live is what the last collection left.
	live     int64
	resident int64
}

// cpu is what all nodes have used so far, by the times of their threads.
func (b *bench) cpu() (used time.Duration, err error) {
	for _, n := range b.cluster.Nodes {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", n.PID()))
		if err != nil || len(threads) == 0 {
			return 0, errors.Join(fmt.Errorf("the system does not tell the CPU time of %s", n.Name), err)
		}
		for _, path := range threads {
			stat, err := os.ReadFile(path)
			if err != nil {
				return 0, fmt.Errorf("CPU time of %s: %w", n.Name, err)
			}
			ran, _, _ := strings.Cut(string(stat), " ")
			v, err := strconv.ParseInt(ran, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("CPU time of %s: %w", n.Name, err)
			}
			used += time.Duration(v)
		}
	}
	return used, nil
}

// heap collects garbage on a node and tells what is left.
func (b *bench) heap(ctx context.Context, n *clustertest.Node) (h heap, err error) {
	err = watched(ctx, n, "/debug/pprof/heap?gc=1&debug=1", func(r io.Reader) error {
		in := bufio.NewScanner(r)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			if text, ok := strings.CutPrefix(in.Text(), "# HeapAlloc = "); ok {
				h.live, err = strconv.ParseInt(text, 10, 64)
			}
		}
		return errors.Join(err, in.Err())
	})
	if err != nil {
		return h, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.PID()))
	if err != nil {
		return h, fmt.Errorf("memory of %s: %w", n.Name, err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			if _, err := fmt.Sscan(rest, &h.resident); err != nil {
				return h, fmt.Errorf("memory of %s: %q: %w", n.Name, line, err)
			}
			h.resident <<= 10
		}
	}
	return h, nil
}

// heaps are those of all nodes.
func (b *bench) heaps(ctx context.Context) ([]heap, error) {
	var list []heap
	for _, n := range b.cluster.Nodes {
		h, err := b.heap(ctx, n)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// watched reads a page for those who watch a node.
func watched(ctx context.Context, n *clustertest.Node, path string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.Watched+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", n.Name, path, resp.Status)
	}
	return read(resp.Body)
}

// profiled takes profiles of all nodes for so long while something happens; none are
// taken without a folder for them.
func (b *bench) profiled(ctx context.Context, name string, within time.Duration, happens func() error) error {
	if b.profiles == "" {
		return happens()
	}
	var taking sync.WaitGroup
	errs := make([]error, len(b.cluster.Nodes))
	for i, n := range b.cluster.Nodes {
		taking.Go(func() {
			errs[i] = b.save(ctx, n, name, fmt.Sprintf("/debug/pprof/profile?seconds=%d", max(1, int(within.Seconds()))))
		})
	}
	err := happens()
	taking.Wait()
	return errors.Join(append(errs, err)...)
}

// save keeps a page of a node as a file.
func (b *bench) save(ctx context.Context, n *clustertest.Node, name, path string) error {
	return watched(ctx, n, path, func(r io.Reader) error {
		f, err := os.Create(filepath.Join(b.profiles, fmt.Sprintf("%s-%s.pprof", name, n.Name)))
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	})
}
