package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	clustertest "shoal/cluster-test"
)

// bench is a cluster, mostly of one node, with the documents of a corpus.
type bench struct {
	o    *options
	c    *corpus
	node *clustertest.Node // the one that is asked
	all  *clustertest.Cluster
}

const (
	indexPath = "/indexes/size"
	doneFile  = "indexed"
)

func newBench(ctx context.Context, o *options, c *corpus) (*bench, error) {
	var nodes, shards int
	if n, err := fmt.Sscanf(o.shape, "%dx%d", &nodes, &shards); err != nil || n != 2 || nodes < 1 || shards < 1 {
		return nil, fmt.Errorf("shape %q: want NODESxSHARDS, such as 3x3", o.shape)
	}
	// Without a number, a small index would have a copy on every node.
	copies := max(1, min(o.copies, nodes))
	all, err := clustertest.New(o.binary, o.dir, nodes, fmt.Sprintf("SHOAL_DEFAULT_SHARDS=%d", shards), fmt.Sprintf("SHOAL_DEFAULT_REPLICAS=%d", copies))
	if err != nil {
		return nil, err
	}
	b := &bench{o: o, c: c, all: all, node: all.Nodes[0]}
	for _, n := range all.Nodes {
		if o.memory != "" {
			n.Option("memory-limit", o.memory)
		}
	}
	if o.profiles != "" {
		if err := b.node.Watch(); err != nil {
			all.Close()
			return nil, err
		}
	}
	if err := all.Start(ctx); err != nil {
		all.Close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() {
	for _, n := range b.all.Nodes {
		n.Stop()
	}
	b.all.Close()
}

// restart ends all nodes and starts them with nothing of their data in the page cache.
func (b *bench) restart(ctx context.Context) error {
	for _, n := range b.all.Nodes {
		n.Stop()
		if err := dropCache(n.Folder()); err != nil {
			return err
		}
	}
	for _, n := range b.all.Nodes {
		if err := n.Start(b.all); err != nil {
			return err
		}
	}
	for _, n := range b.all.Nodes {
		if err := n.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// index sends the documents that are not there from the run before.
func (b *bench) index(ctx context.Context) error {
	done := filepath.Join(b.o.dir, doneFile)
	there, err := indexed(done)
	if err != nil {
		return err
	}
	if there > 0 {
		fmt.Printf("%d documents are there already\n", there)
	}
	if there >= b.c.n {
		b.header()
		return nil
	}
	if there == 0 {
		if err := b.create(ctx); err != nil {
			return err
		}
	}
	before, err := b.cpu()
	if err != nil {
		return err
	}
	start := time.Now()
	var buf bytes.Buffer
	var last []uint32
	for lo := there; lo < b.c.n; lo += b.o.chunk {
		buf.Reset()
		b.c.chunk(&buf, lo, min(lo+b.o.chunk, b.c.n))
		uid, err := b.node.Enqueue(ctx, http.MethodPost, indexPath+"/documents", buf.Bytes())
		if err != nil {
			return err
		}
		if last = append(last, uid); len(last) > 8 { // staged payloads take disk
			if _, err := b.node.Wait(ctx, last[len(last)-8]); err != nil {
				return err
			}
		}
	}
	if _, err := b.node.Wait(ctx, last[len(last)-1]); err != nil {
		return err
	}
	wall := time.Since(start)
	loaded, err := b.cpu()
	if err != nil {
		return err
	}
	if err := b.idle(ctx); err != nil {
		return err
	}
	idle, err := b.cpu()
	if err != nil {
		return err
	}
	peak, err := b.largest((*clustertest.Node).Peak)
	if err != nil {
		return err
	}
	n := float64(b.c.n - there)
	fmt.Printf("indexed %d documents in %.1f s: %.0f a second, CPU %.1f us a document, %.1f when idle again; peak %d MiB, disk %d MiB\n",
		b.c.n-there, wall.Seconds(), n/wall.Seconds(), (loaded-before).Seconds()*1e6/n, (idle-before).Seconds()*1e6/n, peak, b.disk())
	b.header()
	return os.WriteFile(done, []byte(strconv.Itoa(b.c.n)), 0o600)
}

// indexed returns the number of documents that the run before has indexed.
func indexed(done string) (int, error) {
	b, err := os.ReadFile(done)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return 0, fmt.Errorf("%s does not hold a number of documents: %w", done, err)
	}
	return n, nil
}

// create makes the index with its settings.
func (b *bench) create(ctx context.Context) error {
	tasks := []struct {
		method, path string
		body         any
	}{{"POST", "/indexes", map[string]string{"uid": "size", "primaryKey": "id"}}, {"PATCH", indexPath + "/settings", b.c.settings}}
	for _, t := range tasks {
		if t.body == nil {
			continue
		}
		uid, err := b.node.Enqueue(ctx, t.method, t.path, t.body)
		if err != nil {
			return err
		}
		if _, err := b.node.Wait(ctx, uid); err != nil {
			return err
		}
	}
	return nil
}

// warm measures after the node has become idle, each search sent once before.
func (b *bench) warm(ctx context.Context) error {
	if err := b.idle(ctx); err != nil {
		return err
	}
	if b.c.vectors != nil {
		if err := b.vectorSearches(ctx, ", warm", true); err != nil {
			return err
		}
		if err := b.recall(ctx); err != nil {
			return err
		}
		return b.profiled(ctx)
	}
	if _, err := b.each(ctx, b.c.typing); err != nil {
		return err
	}
	if err := b.idle(ctx); err != nil {
		return err
	}
	if err := b.shorts(ctx, "warm", 5); err != nil {
		return err
	}
	for range b.o.rounds {
		if err := b.measure(ctx, "typing, warm", b.c.typing); err != nil {
			return err
		}
	}
	return b.profiled(ctx)
}

// profiled sends the searches once more for profiles, if such are wanted.
func (b *bench) profiled(ctx context.Context) error {
	if b.o.profiles == "" {
		return nil
	}
	profiled := b.profile(ctx, "warm", 0)
	_, err := b.each(ctx, b.c.typing)
	return errors.Join(err, profiled())
}

// cold restarts the nodes with nothing of their data in the page cache.
func (b *bench) cold(ctx context.Context) error {
	start := time.Now()
	if err := b.restart(ctx); err != nil {
		return err
	}
	fmt.Printf("restarted: ready after %d ms\n", time.Since(start).Milliseconds())
	if b.c.vectors != nil {
		list := b.c.vectors.searches("")
		profiled := b.profile(ctx, "cold", 2*time.Second)
		if err := errors.Join(b.measure(ctx, "vectors, first after a restart", list[:1]), profiled()); err != nil {
			return err
		}
		return b.measure(ctx, "vectors, next 20", list[1:min(21, len(list))])
	}
	profiled := b.profile(ctx, "restarted", 2*time.Second)
	if err := errors.Join(b.shorts(ctx, "first after a restart", 1), profiled()); err != nil {
		return err
	}
	if err := b.shorts(ctx, "second after a restart", 1); err != nil {
		return err
	}
	if err := b.restart(ctx); err != nil {
		return err
	}
	profiled = b.profile(ctx, "cold", 0)
	if err := errors.Join(b.measure(ctx, "first 100, cold", distinct(b.c.typing, 100)), profiled()); err != nil {
		return err
	}
	return b.measure(ctx, "the same again", distinct(b.c.typing, 100))
}

// distinct are the first n different searches.
func distinct(all []search, n int) (out []search) {
	seen := map[string]bool{}
	for _, s := range all {
		if !seen[string(s)] && len(out) < n {
			seen[string(s)] = true
			out = append(out, s)
		}
	}
	return out
}

// shorts measures the short queries one by one.
func (b *bench) shorts(ctx context.Context, what string, times int) error {
	for _, q := range b.c.short {
		list := make([]search, times)
		for i := range list {
			list[i] = query(q)
		}
		if err := b.measure(ctx, fmt.Sprintf("%q, %s", q, what), list); err != nil {
			return err
		}
	}
	return nil
}

// timed is a search with the time that it took.
type timed struct {
	took time.Duration
	search
}

// each sends searches one after the other and returns their times.
func (b *bench) each(ctx context.Context, list []search) ([]timed, error) {
	out := make([]timed, 0, len(list))
	for _, s := range list {
		start := time.Now()
		status, body, err := b.node.Do(ctx, http.MethodPost, indexPath+"/search", json.RawMessage(s))
		if err != nil {
			return nil, err
		}
		if status != http.StatusOK {
			return nil, fmt.Errorf("search %s: %d %s", s, status, body)
		}
		out = append(out, timed{time.Since(start), s})
	}
	return out, nil
}
