package chaos

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A small index has a copy on every node: one that has just joined needs nobody else.
func TestANodeThatJoinsAnswersSearchesOfASmallIndexAlone(t *testing.T) {
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	on := func(nodes int) func(context.Context) bool {
		return func(context.Context) bool {
			p := holders(t, c.Nodes[0], "docs")
			return len(p) == 1 && len(p[0]) == nodes
		}
	}
	eventually(t, 20*time.Second, "a copy on each of three nodes", on(3))
	n, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	restart(t, c, n)
	eventually(t, 30*time.Second, "a copy on the new node", on(4))
	s, err := n.Status(t.Context())
	if err != nil || !strings.HasPrefix(s.Indexes[0].ReplicaReason, "on every node: ") {
		t.Errorf("%+v %v", s, err)
	}
	// A number that somebody set is obeyed, until it is taken back.
	for _, copies := range []int{2, 0} {
		if status, b, err := n.Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": copies}); err != nil || status != http.StatusOK {
			t.Fatalf("%d copies: %d %s %v", copies, status, b, err)
		}
		if copies == 0 {
			copies = 4
		}
		eventually(t, 30*time.Second, "as many copies as wanted", on(copies))
	}
	eventually(t, 10*time.Second, "the new node to know", func(context.Context) bool { return len(holders(t, n, "docs")[0]) == 4 })
	for _, o := range others(c, n) {
		o.Kill()
	}
	within(t, 2*time.Second, "a search when only the new node is left", func(ctx context.Context) {
		if status, b, err := n.Do(ctx, "POST", "/indexes/docs/search", map[string]any{"q": "document"}); err != nil || status != http.StatusOK || !strings.Contains(string(b), `"estimatedTotalHits":100`) {
			t.Errorf("search: %d %.300s %v", status, b, err)
		}
	})
}
