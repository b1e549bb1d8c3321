package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	clustertest "shoal/cluster-test"
)

// bench is one run.
type bench struct {
	*options
	cluster *clustertest.Cluster
	before  []heap // of the nodes without indexes
}

func uid(i int) string { return fmt.Sprintf("tenant-%05d", i) }

// make gives each index its documents, which makes it, and waits for all of them.
func (b *bench) make(ctx context.Context) (err error) {
	if b.before, err = b.heaps(ctx); err != nil {
		return err
	}
	used, err := b.cluster.CPU()
	if err != nil {
		return err
	}
	return b.profiled(ctx, "make", 20*time.Second, func() error {
		begun := time.Now()
		if err := b.fill(ctx); err != nil {
			return err
		}
		if err := b.complete(ctx); err != nil {
			return err
		}
		took := time.Since(begun).Seconds()
		after, err := b.cluster.CPU()
		row("indexes made a second", "200", "%.0f (%.1f s, %.1f ms CPU of all nodes each)", float64(b.indexes)/took, took, (after-used).Seconds()*1000/float64(b.indexes))
		return err
	})
}

// fill has clients make the indexes on all nodes at the same time.
func (b *bench) fill(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var working sync.WaitGroup
	for c := range b.clients {
		n := b.cluster.Nodes[c%len(b.cluster.Nodes)]
		working.Go(func() {
			last, made := uint32(0), false
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= b.indexes {
					break
				}
				docs := fmt.Appendf(nil, `{"id":1,"title":"first of %[1]d","group":"a"}
{"id":2,"title":"second of %[1]d","group":"b"}
{"id":3,"title":"third and last of %[1]d","group":"a"}
`, i)
				task, err := n.Enqueue(ctx, http.MethodPost, "/indexes/"+uid(i)+"/documents?primaryKey=id", docs)
				if err != nil {
					cancel(err)
					return
				}
				last, made = task, true
			}
			if made {
				if _, err := n.Wait(ctx, last); err != nil {
					cancel(err)
				}
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}

// complete waits until all indexes are there, with their documents and copies.
func (b *bench) complete(ctx context.Context) error {
	n := b.cluster.Nodes[0]
	for {
		var tasks struct {
			Total int `json:"total"`
		}
		if err := get(ctx, n, "/tasks?statuses=enqueued,processing&limit=1", &tasks); err != nil {
			return err
		}
		if tasks.Total == 0 {
			break
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	var list struct {
		Total int `json:"total"`
	}
	if err := get(ctx, n, "/indexes?limit=1", &list); err != nil {
		return err
	}
	if list.Total != b.indexes {
		return fmt.Errorf("%d indexes of %d are there", list.Total, b.indexes)
	}
	return b.search(ctx, n, b.indexes-1)
}

// search asks an index for its last document.
func (b *bench) search(ctx context.Context, n *clustertest.Node, i int) error {
	status, body, err := n.Do(ctx, http.MethodPost, "/indexes/"+uid(i)+"/search", clustertest.Text(`{"q":"third las"}`))
	if err != nil {
		return err
	}
	var found struct {
		Hits []struct {
			ID int `json:"id"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(body, &found); err != nil || status != http.StatusOK || len(found.Hits) == 0 || found.Hits[0].ID != 3 {
		return fmt.Errorf("a search in %s on %s: %d %s", uid(i), n.Name, status, body)
	}
	return nil
}

// memory tells what an index takes: before anybody searches, and when each was searched.
func (b *bench) memory(ctx context.Context) error {
	for _, when := range []string{"made", "searched once"} {
		if when != "made" {
			for i := range b.indexes {
				if err := b.search(ctx, b.cluster.Nodes[i%len(b.cluster.Nodes)], i); err != nil {
					return err
				}
			}
		}
		if err := pause(ctx, b.settle); err != nil {
			return err
		}
		now, err := b.heaps(ctx)
		if err != nil {
			return err
		}
		live, resident := int64(0), 0
		for i := range now {
			live, resident = max(live, now[i].live-b.before[i].live), max(resident, now[i].resident)
		}
		row("KiB of heap an index and node, "+when, "20", "%.1f (%d MiB resident)", float64(live)/1024/float64(b.indexes), resident)
		if b.profiles != "" {
			if err := b.save(ctx, b.cluster.Nodes[0], "heap-"+when[:4], "/debug/pprof/heap"); err != nil {
				return err
			}
		}
	}
	return nil
}

// idling measures nodes that nobody asks anything.
func (b *bench) idling(ctx context.Context) error {
	of := fmt.Sprintf("%d indexes", b.indexes)
	if len(b.before) == 0 {
		of = "none"
	}
	if err := pause(ctx, b.settle); err != nil {
		return err
	}
	before, err := b.cluster.CPU()
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := pause(ctx, b.idle); err != nil {
		return err
	}
	after, err := b.cluster.CPU()
	if err != nil {
		return err
	}
	row(fmt.Sprintf("%% of a core, all nodes idle, %s", of), "2", "%.2f", 100*(after-before).Seconds()/time.Since(begun).Seconds())
	if err := b.profiled(ctx, "idle-"+of[:4], b.idle, func() error { return nil }); err != nil || b.profiles == "" {
		return err
	}
	// What an idle node uses goes to waking up more than to what it then does.
	for _, n := range b.cluster.Nodes {
		if err := b.save(ctx, n, "trace-"+of[:4], "/debug/pprof/trace?seconds=5"); err != nil {
			return err
		}
	}
	return nil
}

// lists times what shows many things at a time.
func (b *bench) lists(ctx context.Context) error {
	for _, path := range []string{
		"/indexes", "/indexes?limit=100&offset=" + fmt.Sprint(b.indexes/2), "/indexes?limit=100000", "/stats",
		"/tasks", "/tasks?limit=1000&statuses=succeeded", "/tasks?indexUids=" + uid(b.indexes/2), "/batches", "/batches?statuses=failed",
		"/indexes/" + uid(b.indexes/2) + "/stats", "/cluster/status",
	} {
		var took []time.Duration
		size := 0
		for i := range 30 {
			begun := time.Now()
			status, body, err := b.cluster.Nodes[i%len(b.cluster.Nodes)].Do(ctx, http.MethodGet, path, nil)
			if err != nil {
				return err
			}
			if status != http.StatusOK {
				row("ms of GET "+path, "10", "%d", status)
				break
			}
			took, size = append(took, time.Since(begun)), len(body)
		}
		if slices.Sort(took); len(took) > 0 {
			row("ms of GET "+path, "10", "%.1f median, %.1f longest of 30 (%d KiB)", took[15].Seconds()*1000, took[29].Seconds()*1000, size>>10)
		}
	}
	return nil
}

// restart starts each node again, one after the other, and searches as soon as it answers.
func (b *bench) restart(ctx context.Context) error {
	for k, n := range b.cluster.Nodes {
		n.Stop()
		begun := time.Now()
		if err := n.Start(b.cluster); err != nil {
			return err
		}
		for b.search(ctx, n, (b.indexes/3+k)%b.indexes) != nil {
			if err := pause(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
		took := time.Since(begun)
		if err := n.Ready(ctx); err != nil {
			return err
		}
		row("s from the start of "+n.Name+" to its first search", "2", "%.2f (ready after %.2f)", took.Seconds(), time.Since(begun).Seconds())
	}
	return nil
}

func get(ctx context.Context, n *clustertest.Node, path string, into any) error {
	status, body, err := n.Do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s on %s: %d %s", path, n.Name, status, body)
	}
	return json.Unmarshal(body, into)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
