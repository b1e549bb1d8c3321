package chaos

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// refusal starts a node that must end by itself, and returns its last line.
func refusal(t *testing.T, c *clustertest.Cluster, n *clustertest.Node) string {
	t.Helper()
	before := n.LogSize()
	if err := n.Start(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	status, log, err := n.Ended(ctx)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log[before:]), "\n")
	last := lines[len(lines)-1]
	if status != 1 || !strings.HasPrefix(last, "Error: ") {
		t.Fatalf("status %d:\n%s", status, n.Tail(40))
	}
	t.Log(last)
	return last
}

// TestTheAdviceOfADamagedLogKeepsWritesThatOneOtherNodeHas: one voter is away while
// writes are acknowledged, and the log of one of the two that acknowledged them is
// damaged. The advice was to restore that folder from a copy. With an older copy in its
// place that node and the one that was away made a majority that had none of the writes.
func TestTheAdviceOfADamagedLogKeepsWritesThatOneOtherNodeHas(t *testing.T) {
	t.Parallel()
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 20))
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	away, hit := c.Nodes[2], c.Nodes[1]
	away.Kill()
	written := 20
	for ; written < 51; written++ {
		write(t, c.Nodes[0], "POST", "/indexes/docs/documents", fmt.Appendf(nil, `{"id":%d,"title":"number of an entry"}`, written))
	}
	hit.Kill()
	alterEntry(t, hit)

	line := refusal(t, c, hit)
	if !strings.Contains(line, "if other nodes of its cluster run, empty the folder and start this node with --join or its --init-members") {
		t.Fatalf("this test cannot do what the line says: %s", line)
	}
	wipe(t, hit)
	if err := hit.Start(c); err != nil {
		t.Fatal(err)
	}
	// One of three voters has the writes now, and acknowledges nothing until the other
	// returns. The document exists: a write that is refused may still happen later.
	if uid, err := c.Nodes[0].Enqueue(t.Context(), "POST", "/indexes/docs/documents", documents(0, 1)); err == nil {
		t.Fatalf("one of three voters acknowledged task %d", uid)
	}
	restart(t, c, away)
	whole(t, c.Nodes[0], 3, 3)
	allThere(t, c.Nodes, written)
}
