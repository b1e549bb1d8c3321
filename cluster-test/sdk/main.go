package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/robin"
)

// masterKey is the one that the suite has built in.
const masterKey = "masterKey"

func main() {
	binary := flag.String("binary", "bin/shoal", "the program")
	nodes := flag.Int("nodes", 3, "nodes of the cluster")
	run := flag.String("run", "", "only the tests that match this expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := sdk(ctx, *binary, *nodes, *run); err != nil {
		fmt.Fprintln(os.Stderr, "sdk:", err)
		os.Exit(1)
	}
}

// sdk starts the cluster and a second server, runs the suite and judges it.
func sdk(ctx context.Context, binary string, nodes int, run string) (err error) {
	dir, err := os.MkdirTemp("", "shoal-sdk-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	suite := filepath.Join(dir, "suite")
	if err := fetch(ctx, suite); err != nil {
		return err
	}
	first, stop, err := serve(ctx, binary, filepath.Join(dir, "first"), nodes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	second, stopSecond, err := serve(ctx, binary, filepath.Join(dir, "second"), 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopSecond()) }()
	env := []string{"MEILISEARCH_URL=" + first, "MEILISEARCH_URL_2=" + second}
	r, err := runSuite(ctx, suite, run, env)
	if err != nil {
		return err
	}
	if again := r.failed(); len(again) > 0 {
		fmt.Printf("once more: %s\n", strings.Join(again, ", "))
		second, err := runSuite(ctx, suite, "^("+strings.Join(again, "|")+")$", env)
		if err != nil {
			return err
		}
		r.amend(second)
	}
	return r.report(os.Stdout)
}

// serve starts nodes under dir with a proxy in front and returns its URL.
func serve(ctx context.Context, binary, dir string, nodes int) (string, func() error, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", nil, err
	}
	c, err := clustertest.New(binary, dir, nodes, "SHOAL_MASTER_KEY="+masterKey, "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=any",
		"SHOAL_DUMP_DIR="+filepath.Join(dir, "dumps"), "SHOAL_SNAPSHOT_DIR="+filepath.Join(dir, "snapshots"))
	if err != nil {
		return "", nil, err
	}
	if err := c.Start(ctx); err != nil {
		c.Close()
		return "", nil, err
	}
	front, err := robin.New(c.Nodes, robin.Between{Request: readable, Answer: atOnce})
	if err != nil {
		c.Close()
		return "", nil, err
	}
	return front.URL, func() error {
		defer c.Close()
		return front.Close()
	}, nil
}
