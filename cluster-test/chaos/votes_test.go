package chaos

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// Row 23 of the failure matrix: one of three nodes is drained, and a voter dies before it
// has left. The drain took two of three votes away, so the death of the last one stopped
// writes for good, and an entry was on one disk only.
func TestRow23DrainingOneOfThreeNodesTakesNoVote(t *testing.T) {
	c := start(t, 3, 1)
	voting(t, c, 3)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	lead := leader(t, c)
	rest := others(c, lead)
	drained, stays := rest[0], rest[1]
	must(t, stays, "POST", "/cluster/nodes/"+drained.Name+"/drain")
	eventually(t, 40*time.Second, drained.Name+" to be empty", func(ctx context.Context) bool {
		s, err := stays.Status(ctx)
		return err == nil && s.Healthy && !s.Holds(drained.Name)
	})
	// The leader looks once a second, or more often: by now it would have taken the vote.
	if s := statusOf(t, stays); s.Voters() != 3 {
		t.Fatalf("%d votes after a drain", s.Voters())
	}
	lead.Kill()
	write(t, stays, "POST", "/indexes/docs/documents", documents(100, 100))
	allThere(t, rest, 200)
	// The dead node is taken out: two nodes hold two votes, and the answer says so.
	if b := must(t, stays, "DELETE", "/cluster/nodes/"+lead.Name+"?force=true"); !strings.Contains(b, "2 nodes vote: a write needs both of them") {
		t.Errorf("the removal answers %s", b)
	}
	if s := statusOf(t, stays); s.Voters() != 2 {
		t.Fatalf("%d votes of two nodes", s.Voters())
	}
	write(t, stays, "POST", "/indexes/docs/documents", documents(200, 100))
	// Neither node acknowledges what only it has.
	drained.Kill()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if uid, err := stays.Enqueue(ctx, "POST", "/indexes/docs/documents", documents(300, 1)); err == nil {
		t.Errorf("task %d is on one disk of two and was acknowledged", uid)
	}
	restart(t, c, drained)
	write(t, stays, "POST", "/indexes/docs/documents", documents(300, 100))
	allThere(t, []*clustertest.Node{stays, drained}, 400)
}

// must sends an operator's request and returns its answer.
func must(t *testing.T, via *clustertest.Node, method, path string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	status, b, err := via.Do(ctx, method, path, nil)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s %s: %d %s %v", method, path, status, b, err)
	}
	return string(b)
}

func statusOf(t *testing.T, n *clustertest.Node) *clustertest.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := n.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
