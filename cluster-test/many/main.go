package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	clustertest "shoal/cluster-test"
)

// options say what is measured.
type options struct {
	binary, dir, profiles string
	nodes, indexes        int
	clients               int
	settle, idle          time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/shoal", "the program to measure")
	flag.StringVar(&o.dir, "dir", "", "folder for the data (default: a temporary one, removed)")
	flag.StringVar(&o.profiles, "profiles", "", "folder for profiles of heaps and CPU time, and traces of idle nodes")
	flag.IntVar(&o.nodes, "nodes", 3, "nodes of the cluster")
	flag.IntVar(&o.indexes, "indexes", 10_000, "indexes of three documents each")
	flag.IntVar(&o.clients, "clients", 32, "clients that make indexes at the same time")
	flag.DurationVar(&o.settle, "settle", 15*time.Second, "how long nothing is asked before idle nodes are measured")
	flag.DurationVar(&o.idle, "idle", 20*time.Second, "how long idle nodes are measured")
	patience := flag.Duration("patience", time.Hour, "give up after this long")
	flag.Parse()
	clustertest.Main(*patience, func(ctx context.Context) error { return run(ctx, &o) })
}

func run(ctx context.Context, o *options) error {
	remove, err := clustertest.Prepare("many", &o.dir, &o.binary, &o.profiles)
	if err != nil {
		return err
	}
	defer remove()
	if o.profiles != "" {
		if err := os.MkdirAll(o.profiles, 0o700); err != nil {
			return err
		}
	}
	c, err := clustertest.New(o.binary, o.dir, o.nodes)
	if err != nil {
		return err
	}
	for _, n := range c.Nodes {
		if err := n.Watch(); err != nil {
			return err
		}
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	b := &bench{options: o, cluster: c}
	fmt.Printf("%d indexes of 3 documents on %d nodes\n\n| | wanted | |\n|---|---|---|\n", o.indexes, o.nodes)
	for _, step := range []func(context.Context) error{b.idling, b.make, b.memory, b.idling, b.lists, b.restart} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// row prints a figure and what is wanted of it.
func row(name, wanted, format string, figures ...any) {
	fmt.Printf("| %s | %s | %s |\n", name, wanted, fmt.Sprintf(format, figures...))
}
