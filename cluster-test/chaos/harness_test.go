package chaos

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// What make chaos hands on.
var (
	minutes     = flag.Int("minutes", 0, "how many minutes each endless test goes on; 0 is short")
	manyIndexes = flag.Int("indexes", 0, "how many indexes row 19 has; 0 is 100, and 10,000 in the long form")
	manyTasks   = flag.Int("tasks", 0, "how many tasks row 19 has; 0 is 900, and 1,000,000 in the long form")
	seed        = flag.Uint64("seed", 0, "seed of what is done to the cluster; 0 takes one by chance, which is logged")
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// length is how long an endless test goes on.
func length(t *testing.T, short time.Duration) time.Duration {
	t.Helper()
	if *minutes > 0 {
		return time.Duration(*minutes) * time.Minute
	}
	text := os.Getenv("SHOAL_CHAOS")
	if text == "" {
		return short
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("SHOAL_CHAOS: %v", err)
	}
	return d
}

// seeded is the seed of an endless test. The order of harms and what is sent follow from
// it; when they meet does not.
func seeded(t *testing.T) uint64 {
	t.Helper()
	n := *seed
	if n == 0 {
		n = rand.Uint64N(1_000_000)
	}
	t.Logf("again with: make chaos ARGS='-seed %d -minutes %d'", n, max(*minutes, 1))
	return n
}

// start runs a cluster of n nodes whose indexes have the given number of shards.
func start(t *testing.T, n, shards int) *clustertest.Cluster {
	t.Helper()
	c := rig.New(t, n, rig.Shards(shards))
	rig.Start(t, c)
	return c
}

// within runs f and fails the test when it takes longer.
func within(t *testing.T, limit time.Duration, what string, f func(context.Context)) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit+10*time.Second)
	defer cancel()
	begin := time.Now()
	f(ctx)
	took := time.Since(begin)
	if took > limit {
		t.Errorf("%s took %s, at most %s is promised", what, took.Round(time.Millisecond), limit)
	}
	return took
}

// write sends a change and waits for its task.
func write(t *testing.T, n *clustertest.Node, method, path string, body any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := n.Write(ctx, method, path, body); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

// documents makes NDJSON of n documents from id on.
func documents(from, n int) []byte {
	var b []byte
	for id := from; id < from+n; id++ {
		b = fmt.Appendf(b, `{"id":%d,"title":"document number %d","even":%t,"text":"words of the %d%s and more"}`+"\n", id, id, id%2 == 0, id%97, "th")
	}
	return b
}

// fresh asks a node until its answer is not marked as stale: one that was cut off a
// moment ago may not have heard of the leader yet, and only then may it answer from
// before.
func fresh(ctx context.Context, n *clustertest.Node, method, path string, body any) (*clustertest.Answer, error) {
	for {
		a, err := n.Ask(ctx, method, path, body)
		if err != nil || a.Header.Get("Shoal-Stale") == "" {
			return a, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s answers from %s s ago: %w", n.Name, a.Header.Get("Shoal-Stale"), ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// haveAll checks that no node has lost one of the documents of the index docs.
func haveAll(ctx context.Context, t *testing.T, c *clustertest.Cluster, acknowledged map[int]bool) {
	t.Helper()
	for _, n := range c.Nodes {
		have, err := ids(ctx, n, "docs")
		if err != nil {
			t.Fatal(err)
		}
		for id := range acknowledged {
			if !have[id] {
				t.Errorf("%s has lost document %d", n.Name, id)
			}
		}
	}
}

// ids lists the ids of all documents of the index, as one node gives them.
func ids(ctx context.Context, n *clustertest.Node, index string) (map[int]bool, error) {
	a, err := fresh(ctx, n, "GET", "/indexes/"+index+"/documents?limit=1000000&fields=id", nil)
	if err != nil {
		return nil, err
	}
	if a.Status != http.StatusOK {
		return nil, fmt.Errorf("documents of %s on %s: %d %.300s", index, n.Name, a.Status, a.Body)
	}
	var page struct {
		Results []struct {
			ID int `json:"id"`
		} `json:"results"`
		Total int `json:"total"`
	}
	if err := json.Unmarshal(a.Body, &page); err != nil {
		return nil, err
	}
	out := make(map[int]bool, len(page.Results))
	for _, d := range page.Results {
		out[d.ID] = true
	}
	if len(out) != page.Total {
		return nil, fmt.Errorf("%s lists %d different documents and says %d", n.Name, len(out), page.Total)
	}
	return out, nil
}

// leader finds the node that leads.
func leader(t *testing.T, c *clustertest.Cluster) *clustertest.Node {
	t.Helper()
	n, _ := leaderOf(t, c)
	return n
}

// leaderOf finds the node that leads, and the term it leads in.
func leaderOf(t *testing.T, c *clustertest.Cluster) (*clustertest.Node, uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		for _, n := range c.Nodes {
			if n.PID() == 0 {
				continue
			}
			one, stop := context.WithTimeout(ctx, time.Second)
			s, err := n.Status(one)
			stop()
			if err == nil && s.Leader == n.Name && s.Term > 0 {
				return n, s.Term
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("no node leads")
	return nil, 0
}

// others lists the nodes but one.
func others(c *clustertest.Cluster, not *clustertest.Node) []*clustertest.Node {
	var out []*clustertest.Node
	for _, n := range c.Nodes {
		if n != not {
			out = append(out, n)
		}
	}
	return out
}
