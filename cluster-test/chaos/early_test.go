package chaos

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

// While first members are awaited the process lives, is not ready, and tells clients to
// come again: whoever watches it neither hangs nor ends it.
func TestANodeThatWaitsForFirstMembersAnswersProbes(t *testing.T) {
	c := rig.New(t, 3)
	n := c.Nodes[0]
	begin(t, c, n)
	ask := func(path string) (status int, body string) {
		eventually(t, 10*time.Second, "an answer of "+path, func(ctx context.Context) bool {
			one, cancel := context.WithTimeout(ctx, 6*time.Second)
			defer cancel()
			a, err := n.Ask(one, "GET", path, nil)
			if err == nil {
				status, body = a.Status, string(a.Body)
			}
			return err == nil
		})
		return status, body
	}
	if status, body := ask("/livez"); status != http.StatusOK {
		t.Errorf("/livez answers %d %s", status, body)
	}
	eventually(t, 10*time.Second, "/readyz to say why", func(context.Context) bool {
		status, body := ask("/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "first members")
	})
	if status, body := ask("/indexes"); status != http.StatusServiceUnavailable || !strings.Contains(body, "retry later") {
		t.Errorf("/indexes answers %d %s", status, body)
	}
	for _, o := range c.Nodes[1:] {
		begin(t, c, o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, o := range c.Nodes {
		if err := o.Ready(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if status, body := ask("/readyz"); status != http.StatusOK {
		t.Errorf("/readyz of a node that serves answers %d %s", status, body)
	}
}
