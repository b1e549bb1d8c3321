package chaos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// Row 19 of the failure matrix: many indexes and a log full of tasks. A node that is
// started serves within 10 s, and writes and searches take what they took before. The
// short form has 100 indexes and 900 tasks, that of make chaos 10,000 and 1,000,000.
func TestRow19ManyIndexesAndTasksDoNotHoldUpAStart(t *testing.T) {
	indexes, tasks := 100, 900
	if *minutes > 0 {
		indexes, tasks = 10_000, 1_000_000
	}
	if *manyIndexes > 0 {
		indexes = *manyIndexes
	}
	if *manyTasks > 0 {
		tasks = *manyTasks
	}
	c := start(t, 3, 1)
	begin := time.Now()
	each(t, c.Nodes, indexes, func(ctx context.Context, n *clustertest.Node, i int) error {
		_, err := n.Enqueue(ctx, "POST", "/indexes", map[string]any{"uid": fmt.Sprintf("index-%d", i), "primaryKey": "id"})
		return err
	})
	before := latency(t, c.Nodes[0])
	// One index after the other gets its tasks, so that batches take several of them: what
	// is tried is a log full of tasks, not how fast a million batches are made.
	each(t, c.Nodes, tasks, func(ctx context.Context, n *clustertest.Node, i int) error {
		_, err := n.Enqueue(ctx, "POST", fmt.Sprintf("/indexes/index-%d/documents", i*indexes/tasks), []map[string]any{{"id": i, "text": "a task among many"}})
		return err
	})
	eventually(t, time.Duration(tasks)*20*time.Millisecond+time.Minute, "the queue to be empty", func(ctx context.Context) bool {
		status, b, err := c.Nodes[0].Do(ctx, "GET", "/tasks?statuses=enqueued,processing&limit=0", nil)
		return err == nil && status == http.StatusOK && string(b) == `{"results":[],"total":0,"limit":0,"from":null,"next":null}`
	})
	t.Logf("%d indexes and %d tasks after %s", indexes, tasks, time.Since(begin).Round(time.Second))
	whole(t, c.Nodes[0], 3, 3)
	for _, n := range c.Nodes {
		n.Stop()
	}
	within(t, 10*time.Second, "a start of all nodes", func(ctx context.Context) {
		if err := c.Start(ctx); err != nil {
			t.Fatal(err)
		}
	})
	took := within(t, 10*time.Second, "a start of one node", func(context.Context) {
		c.Nodes[1].Kill()
		restart(t, c, c.Nodes[1])
	})
	after := latency(t, c.Nodes[0])
	t.Logf("one node serves %s after its start; a small write took %s with no tasks, %s with all of them", took.Round(time.Millisecond), before, after)
	if after > 3*before+time.Second {
		t.Errorf("a small write takes %s, with few tasks it took %s", after, before)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, i := range []int{0, indexes / 2, indexes - 1} {
		for _, n := range c.Nodes {
			status, b, err := n.Do(ctx, "POST", fmt.Sprintf("/indexes/index-%d/search", i), map[string]any{"q": "many", "limit": 1})
			if err != nil || status != http.StatusOK || len(b) < 50 {
				t.Errorf("index-%d on %s: %d %s %v", i, n.Name, status, b, err)
			}
		}
	}
}

// latency is how long a small write takes until it has succeeded, the median of five.
func latency(t *testing.T, n *clustertest.Node) time.Duration {
	t.Helper()
	var took []time.Duration
	for i := range 5 {
		begin := time.Now()
		write(t, n, "POST", "/indexes/index-0/documents", []map[string]any{{"id": fmt.Sprint("probe-", i)}})
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// each calls f for every number below n, eight at a time, on the nodes in turn; what
// fails is tried again.
func each(t *testing.T, nodes []*clustertest.Node, n int, f func(ctx context.Context, node *clustertest.Node, i int) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n)*20*time.Millisecond+time.Minute)
	defer cancel()
	var next atomic.Int64
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				for err := f(ctx, nodes[i%len(nodes)], i); err != nil; err = f(ctx, nodes[i%len(nodes)], i) {
					if ctx.Err() != nil {
						t.Errorf("number %d: %v", i, err)
						return
					}
				}
			}
		})
	}
	work.Wait()
	if t.Failed() {
		t.FailNow()
	}
}
