package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	clustertest "shoal/cluster-test"
)

// shape is how many nodes, shards and copies a cluster has.
type shape struct{ nodes, shards, copies int }

// parseShape reads NODESxSHARDS or NODESxSHARDS/COPIES. One shard is copied to every
// node, several have two copies each.
func parseShape(s string) (shape, error) {
	var p shape
	text, copies, given := strings.Cut(s, "/")
	if n, err := fmt.Sscanf(text, "%dx%d", &p.nodes, &p.shards); err != nil || n != 2 || p.nodes < 1 || p.shards < 1 {
		return p, fmt.Errorf("shape %q: want NODESxSHARDS, such as 3x3", s)
	}
	p.copies = min(2, p.nodes)
	if p.shards == 1 {
		p.copies = p.nodes
	}
	if given {
		if _, err := fmt.Sscan(copies, &p.copies); err != nil || p.copies < 1 || p.copies > p.nodes {
			return p, fmt.Errorf("shape %q: between 1 and %d copies", s, p.nodes)
		}
	}
	return p, nil
}

// target is a running cluster with all documents.
type target struct {
	shape
	name    string
	cluster *clustertest.Cluster
	groups  []*controlGroup // of its nodes, while their CPU time is bounded
	idle    float64         // cores that the nodes use while nobody asks them
}

const index = "/indexes/scale"

// start runs the clusters and gives them the documents, one after the other. What it
// returns is to be closed, also when it fails.
func start(ctx context.Context, o *options, w *workload, shapes string) (all []*target, err error) {
	fmt.Printf("| nodes x shards (copies) | import s | CPU s of all nodes | MiB/s |\n|---|---|---|---|\n")
	for name := range strings.SplitSeq(shapes, ",") {
		p, err := parseShape(name)
		if err != nil {
			return all, err
		}
		programs := []struct{ name, binary string }{{name, o.binary}}
		if o.against != "" {
			programs = append(programs, struct{ name, binary string }{name + "-before", o.against})
		}
		for _, program := range programs {
			t, err := prepare(o, p, program.name, program.binary)
			if err != nil {
				return all, err
			}
			all = append(all, t)
			if err := t.begin(ctx, w); err != nil {
				return all, fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	return all, nil
}

// prepare makes a cluster, which does not run yet.
func prepare(o *options, p shape, name, binary string) (*target, error) {
	dir := filepath.Join(o.dir, strings.ReplaceAll(name, "/", "-"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	c, err := clustertest.New(binary, dir, p.nodes, fmt.Sprintf("SHOAL_DEFAULT_SHARDS=%d", p.shards), fmt.Sprintf("SHOAL_DEFAULT_REPLICAS=%d", p.copies))
	if err != nil {
		return nil, err
	}
	for _, n := range c.Nodes {
		if err := n.Watch(); err != nil {
			return nil, err
		}
	}
	return &target{shape: p, name: name, cluster: c}, nil
}

// begin runs the nodes and gives them the documents.
func (t *target) begin(ctx context.Context, w *workload) error {
	if err := t.cluster.Start(ctx); err != nil {
		return err
	}
	before, err := t.cluster.CPU()
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := t.load(ctx, w); err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	after, err := t.cluster.CPU()
	fmt.Printf("| %s (%d) | %.1f | %.1f | %.1f |\n", t.name, t.copies, took, (after - before).Seconds(), float64(len(w.documents))/(1<<20)/took)
	return err
}

// load indexes the documents and waits until every copy has them, with columns.
func (t *target) load(ctx context.Context, w *workload) error {
	n := t.cluster.Nodes[0]
	for _, r := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/indexes", map[string]string{"uid": "scale", "primaryKey": "id"}},
		{http.MethodPatch, index + "/settings", w.settings},
		{http.MethodPost, index + "/documents", w.documents},
	} {
		uid, err := n.Enqueue(ctx, r.method, r.path, r.body)
		if err != nil {
			return err
		}
		if _, err := n.Wait(ctx, uid); err != nil {
			return err
		}
	}
	for {
		s, err := n.Status(ctx)
		if err != nil {
			return err
		}
		lacking, err := t.lacking(ctx)
		if err != nil {
			return err
		}
		if whole(s.Holders("scale"), t.shape) && lacking == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("copies are missing: %v, or columns, of %.0f documents: %w", s.Holders("scale"), lacking, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// whole tells whether the copies are as the shape wants them.
func whole(holders [][]string, p shape) bool {
	if len(holders) != p.shards {
		return false
	}
	for _, nodes := range holders {
		if len(nodes) != p.copies {
			return false
		}
	}
	return true
}

// close ends the nodes.
func (t *target) close() {
	t.cluster.Close()
	for _, g := range t.groups {
		if err := g.remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// same compares the answers of all clusters to every search.
func same(ctx context.Context, all []*target, w *workload) error {
	for _, file := range w.files {
		for _, s := range file.list {
			var first []byte
			for _, t := range all {
				for _, n := range t.cluster.Nodes {
					status, b, err := n.Do(ctx, http.MethodPost, index+"/search", s)
					if err != nil || status != http.StatusOK {
						return fmt.Errorf("%s, %s: %s: %d %s %w", t.name, n.Name, s, status, b, err)
					}
					if b = clustertest.Mask(b); first == nil {
						first = b
					} else if !bytes.Equal(first, b) {
						return fmt.Errorf("%s, %s answers %s otherwise than %s:\n%s\n%s", t.name, n.Name, s, all[0].name, b, first)
					}
				}
			}
		}
	}
	return nil
}
