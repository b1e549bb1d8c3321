package chaos

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// Row 21 of the failure matrix.
func TestRow21ANodeThatDoesNotBelongIsRefused(t *testing.T) {
	c := start(t, 3, 1)
	t.Run("wrong secret", func(t *testing.T) {
		n := joining(t, c)
		n.Env = []string{"SHOAL_CLUSTER_SECRET=quite another secret"}
		refused(t, c, n, "--cluster-secret")
	})
	t.Run("no secret", func(t *testing.T) {
		n := joining(t, c)
		n.Env = []string{"SHOAL_CLUSTER_SECRET="}
		refusedWith(t, c, n, 2, "--cluster-secret-file", "shoal secret")
	})
	t.Run("wrong master key", func(t *testing.T) {
		n := joining(t, c)
		n.Env = []string{"SHOAL_MASTER_KEY=not the key of the others"}
		refused(t, c, n, "--master-key")
	})
	t.Run("of another cluster", func(t *testing.T) {
		other := rig.New(t, 1)
		rig.Start(t, other)
		n := other.Nodes[0]
		n.Stop()
		n.Option("join", c.Nodes[0].Gossip)
		refused(t, other, n, "another cluster", "--join", n.Folder())
	})
	// None of this did any harm.
	write(t, c.Nodes[1], "POST", "/indexes/docs/documents", documents(0, 10))
	for _, n := range c.Nodes {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		s, err := n.Status(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Nodes) != 3 {
			t.Errorf("%s knows %d members", n.Name, len(s.Nodes))
		}
	}
}

// A node that waited to be let into its cluster called every index unknown, for as long as
// --max-staleness, and so did each node for a second or two after it joined.
func TestANodeThatIsNotInItsClusterYetAnswersNoSearch(t *testing.T) {
	c := start(t, 1, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
	n := joining(t, c)
	n.Option("join", "127.0.0.1:1")
	if err := n.Start(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		status, body, err := n.Do(ctx, "POST", "/indexes/docs/search", map[string]any{})
		if err != nil && ctx.Err() == nil {
			continue // it does not listen yet
		}
		if status != 503 || !strings.Contains(string(body), "This node does not serve yet") {
			t.Fatalf("a search: %d %s %v", status, body, err)
		}
		break
	}
	status, body, err := n.Do(ctx, "GET", "/readyz?stale", nil)
	if err != nil || status != 503 || !strings.Contains(string(body), "it waits to be let into its cluster") {
		t.Errorf("readiness for searches: %d %s %v", status, body, err)
	}
}

// joining prepares a node that would join; it is no part of the cluster's list.
func joining(t *testing.T, c *clustertest.Cluster) *clustertest.Node {
	t.Helper()
	n, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	c.Nodes = c.Nodes[:len(c.Nodes)-1]
	t.Cleanup(n.Kill)
	t.Cleanup(func() { _ = os.RemoveAll(n.Folder()) }) // the next one has the same name
	return n
}
