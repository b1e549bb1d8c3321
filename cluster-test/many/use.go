package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	clustertest "shoal/cluster-test"
)

// heap is what the memory of a node is used for.
type heap struct {
	live     int64 // what the last collection left, in bytes
	resident int   // MiB
}

// heap collects garbage on a node and tells what is left.
func (b *bench) heap(ctx context.Context, n *clustertest.Node) (h heap, err error) {
	err = n.ReadWatched(ctx, "/debug/pprof/heap?gc=1&debug=1", func(r io.Reader) error {
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
	h.resident, err = n.Resident()
	return h, err
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
	return errors.Join(errors.Join(errs...), err)
}

// save keeps a page of a node as a file.
func (b *bench) save(ctx context.Context, n *clustertest.Node, name, path string) error {
	return n.SaveWatched(ctx, path, filepath.Join(b.profiles, fmt.Sprintf("%s-%s.pprof", name, n.Name)))
}
