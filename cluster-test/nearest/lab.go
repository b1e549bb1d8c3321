package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	clustertest "shoal/cluster-test"
)

const indexPath = "/indexes/near"

// lab is one run.
type lab struct {
	options
	clusters []*cluster
	corpus   *corpus
	full     int // searches with hits
	changed  int
	start    time.Time
}

type cluster struct {
	name string
	*clustertest.Cluster
}

func newLab(o options) (*lab, error) {
	l := &lab{options: o, corpus: newCorpus(rand.New(rand.NewPCG(o.seed, 34))), start: time.Now()}
	for shape := range strings.SplitSeq(o.shapes, ",") {
		var nodes, shards int
		if n, err := fmt.Sscanf(shape, "%dx%d", &nodes, &shards); err != nil || n != 2 || nodes < 1 || shards < 1 {
			return nil, fmt.Errorf("shape %q: want NODESxSHARDS, such as 3x3", shape)
		}
		dir := filepath.Join(o.dir, shape)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		c, err := clustertest.New(o.binary, dir, nodes, fmt.Sprintf("SHOAL_DEFAULT_SHARDS=%d", shards))
		if err != nil {
			return nil, err
		}
		for _, n := range c.Nodes {
			if o.memory != "" {
				n.Option("memory-limit", o.memory)
			}
		}
		l.clusters = append(l.clusters, &cluster{shape, c})
	}
	return l, nil
}

func (l *lab) close() {
	for _, c := range l.clusters {
		c.Close()
	}
}

func (l *lab) say(format string, a ...any) {
	fmt.Fprintf(l.out, "%7.1fs  %s\n", time.Since(l.start).Seconds(), fmt.Sprintf(format, a...))
}

// run writes, searches and changes until all searches were compared.
func (l *lab) run(ctx context.Context) error {
	l.say("seed %d, %s", l.seed, l.shapes)
	for _, c := range l.clusters {
		if err := c.Start(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if err := l.found(ctx); err != nil {
		return err
	}
	for i := range l.searches {
		if l.restartEvery > 0 && i > 0 && i%l.restartEvery == 0 {
			if err := l.restart(ctx); err != nil {
				return err
			}
			l.say("%d searches, restarted", i)
		}
		if i > 0 && i%l.changeEvery == 0 {
			if err := l.change(ctx); err != nil {
				return err
			}
		}
		if err := l.search(ctx, l.corpus.ask(), i); err != nil {
			return err
		}
	}
	l.say("%d searches on each of %s, %d with hits, %d changes between: hits and scores are the bytes of brute force", l.searches, l.shapes, l.full, l.changed)
	if l.full < l.searches/2 {
		return errors.New("most searches have no hits: nothing was compared")
	}
	return nil
}

// found makes the index with its first documents.
func (l *lab) found(ctx context.Context) error {
	defined := map[string]any{}
	for _, e := range embedders {
		defined[e.name] = map[string]any{"source": "userProvided", "dimensions": e.dimensions, "binaryQuantized": e.quantized}
	}
	settings := map[string]any{"filterableAttributes": []string{"half", "group"}, "embedders": defined}
	for _, w := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/indexes", map[string]string{"uid": "near", "primaryKey": "id"}}, {"PATCH", indexPath + "/settings", settings},
		{"POST", indexPath + "/documents", l.corpus.write(l.documents, 0)},
	} {
		if err := l.write(ctx, w.method, w.path, w.body); err != nil {
			return err
		}
	}
	return nil
}

// change replaces, adds and deletes a few documents, and many now and then.
func (l *lab) change(ctx context.Context) error {
	l.changed++
	n := []int{1, 5, 20, 300}[l.corpus.r.IntN(4)]
	if l.corpus.r.IntN(3) == 0 {
		return l.write(ctx, "POST", indexPath+"/documents/delete-batch", l.corpus.remove(n))
	}
	return l.write(ctx, "POST", indexPath+"/documents", l.corpus.write(n, 0.6))
}

// each calls do for all clusters at once.
func (l *lab) each(do func(*cluster) error) error {
	errs := make([]error, len(l.clusters))
	var wg sync.WaitGroup
	for i, c := range l.clusters {
		wg.Go(func() {
			if err := do(c); err != nil {
				errs[i] = fmt.Errorf("%s: %w", c.name, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// write sends a write to all clusters and waits for its task.
func (l *lab) write(ctx context.Context, method, path string, body any) error {
	return l.each(func(c *cluster) error {
		uid, err := c.Nodes[0].Enqueue(ctx, method, path, body)
		if err != nil {
			return err
		}
		_, err = c.Nodes[0].Wait(ctx, uid)
		return err
	})
}

// search compares one answer of every cluster. All nodes of a cluster are asked in turn.
func (l *lab) search(ctx context.Context, q *question, i int) error {
	want := l.corpus.hits(q)
	if !bytes.HasSuffix(want, []byte("[]")) {
		l.full++
	}
	path, request := q.request()
	want = append(want, ',')
	return l.each(func(c *cluster) error {
		n := c.Nodes[i%len(c.Nodes)]
		status, body, err := n.Do(ctx, "POST", path, json.RawMessage(request))
		switch {
		case err != nil:
			return err
		case status != http.StatusOK:
			return fmt.Errorf("%s %s: %d %s", path, request, status, body)
		case !bytes.HasPrefix(body, want):
			return fmt.Errorf("search %d of seed %d on %s: %s %s\nanswers   %.3000s\nand not   %.3000s", i, l.seed, n.Name, path, request, body, want)
		}
		return nil
	})
}

// restart ends all nodes and starts them again.
func (l *lab) restart(ctx context.Context) error {
	return l.each(func(c *cluster) error {
		for _, n := range c.Nodes {
			n.Stop()
		}
		return c.Start(ctx)
	})
}
