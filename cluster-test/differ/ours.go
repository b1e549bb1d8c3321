package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	clustertest "shoal/cluster-test"
)

// runOurs compares two clusters of a program of ours that it starts: one node with
// one shard, three nodes with three.
func runOurs(ctx context.Context, o options, binary string) (found *report, err error) {
	if binary, err = filepath.Abs(binary); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "shoal-differ-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, n := range []int{1, 3} {
		own := filepath.Join(dir, fmt.Sprint(n))
		if err := os.MkdirAll(own, 0o700); err != nil {
			return nil, err
		}
		c, err := clustertest.New(binary, own, n, fmt.Sprintf("SHOAL_DEFAULT_SHARDS=%d", n), "SHOAL_DUMP_DIR="+filepath.Join(own, "dumps"))
		if err != nil {
			return nil, err
		}
		defer c.Close()
		if err := c.Start(ctx); err != nil {
			return nil, err
		}
		o.addresses = append(o.addresses, c.Nodes[n-1].HTTP)
	}
	return run(ctx, o)
}
