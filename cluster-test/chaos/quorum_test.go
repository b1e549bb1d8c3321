package chaos

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// holders are the nodes with an in-sync copy of each shard, as one node knows.
func holders(t *testing.T, n *clustertest.Node, index string) [][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s, err := n.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return s.Holders(index)
}

func TestWithoutAQuorumWritesAreRefusedSoonAndSearchesGoOn(t *testing.T) {
	c := start(t, 3, 1)
	first := c.Nodes[0]
	write(t, first, "POST", "/indexes/whole/documents", documents(0, 50))
	write(t, first, "POST", "/indexes/parts/documents", documents(0, 50))
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	for index, copies := range map[string]int{"whole": 3, "parts": 2} {
		if status, b, err := first.Do(ctx, "PATCH", "/cluster/indexes/"+index, map[string]any{"replicas": copies}); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s %v", status, b, err)
		}
	}
	eventually(t, 30*time.Second, "a copy of one index on each node, of the other one on two", func(context.Context) bool {
		w, p := holders(t, first, "whole"), holders(t, first, "parts")
		return len(w) == 1 && len(w[0]) == 3 && len(p) == 1 && len(p[0]) == 2
	})
	// The survivor is the node that holds no copy of parts, so that no replica of
	// it answers.
	parts := holders(t, first, "parts")[0]
	var survivor *clustertest.Node
	for _, n := range c.Nodes {
		if !slices.Contains(parts, n.Name) {
			survivor = n
		}
	}
	eventually(t, 10*time.Second, "the survivor to know", func(context.Context) bool {
		return len(holders(t, survivor, "whole")[0]) == 3 && len(holders(t, survivor, "parts")[0]) == 2
	})
	for _, n := range others(c, survivor) {
		n.Kill()
	}
	took := within(t, 2*time.Second, "a search after the other nodes died", func(ctx context.Context) {
		if status, b, err := survivor.Do(ctx, "POST", "/indexes/whole/search", map[string]any{"q": "document"}); err != nil || status != http.StatusOK {
			t.Errorf("search: %d %.300s %v", status, b, err)
		}
	})
	t.Logf("a search of an index with a copy here took %s", took)
	took = within(t, 6*time.Second, "a refusal of a write", func(ctx context.Context) {
		status, b, err := survivor.Do(ctx, "POST", "/indexes/whole/documents", documents(100, 1))
		if err != nil || status != http.StatusServiceUnavailable || !strings.Contains(string(b), `"no_leader"`) {
			t.Errorf("a write without a quorum: %d %s %v", status, b, err)
		}
	})
	t.Logf("the first write was refused after %s", took)
	for range 3 {
		within(t, 2*time.Second, "a search of an index without a copy", func(ctx context.Context) {
			a, err := survivor.Ask(ctx, "POST", "/indexes/parts/search", map[string]any{"q": "document"})
			if err != nil || a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
				t.Errorf("search: %+v %v", a, err)
			}
		})
	}
	for _, n := range others(c, survivor) {
		if err := n.Start(c); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 20*time.Second, "the cluster to take writes again", func(ctx context.Context) bool {
		return survivor.Write(ctx, "POST", "/indexes/parts/documents", documents(200, 1)) == nil
	})
}

// eventually repeats ok until it holds.
func eventually(t *testing.T, limit time.Duration, what string, ok func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for !ok(ctx) {
		select {
		case <-ctx.Done():
			t.Fatalf("waited %s for %s", limit, what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
