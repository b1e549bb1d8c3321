package chaos

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

// Whoever spreads requests must learn that a node goes before a request is refused.
func TestAStopFailsReadinessFirst(t *testing.T) {
	c := rig.New(t, 1, "SHOAL_SHUTDOWN_DELAY=2s")
	rig.Start(t, c)
	n := c.Nodes[0]
	if status, b, err := n.Do(t.Context(), "GET", "/readyz", nil); err != nil || status != http.StatusOK {
		t.Fatalf("a node that serves: /readyz answers %d %s %v", status, b, err)
	}
	stopped := make(chan struct{})
	go func() { n.Stop(); close(stopped) }()
	for until := time.Now().Add(10 * time.Second); ; {
		status, b, err := n.Do(t.Context(), "GET", "/readyz", nil)
		if err != nil {
			t.Fatalf("the node was gone before its readiness failed: %v", err)
		}
		if status == http.StatusServiceUnavailable && strings.Contains(string(b), "was asked to end") {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("after a stop was asked for /readyz answers %d %s", status, b)
		}
	}
	for _, path := range []string{"/health", "/livez", "/indexes"} {
		if status, b, err := n.Do(t.Context(), "GET", path, nil); err != nil || status != http.StatusOK {
			t.Errorf("while the node waits %s answers %d %s %v", path, status, b, err)
		}
	}
	select {
	case <-stopped:
	case <-time.After(30 * time.Second):
		t.Error("the node does not end")
	}
}
