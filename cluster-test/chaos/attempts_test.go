package chaos

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

// What a batch that takes all memory does to its node, three times: the kernel kills
// the process while it builds.
func TestABatchThatEndsItsNodeFailsAfterThreeTimes(t *testing.T) {
	c := rig.New(t, 1)
	n := c.Nodes[0]
	n.Option("experimental-allowed-ip-networks", "127.0.0.0/8")
	rig.Start(t, c)
	g := newGate(t)
	write(t, n, "PATCH", "/indexes/docs/settings", map[string]any{"embedders": map[string]any{"gate": map[string]any{
		"source": "rest", "url": g.URL, "dimensions": 2, "documentTemplate": "{{doc.title}}",
		"request": []string{"{{text}}", "{{..}}"}, "response": []string{"{{embedding}}", "{{..}}"},
	}}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	deadly, err := n.Enqueue(ctx, "POST", "/indexes/docs/documents", []byte(`{"id":1,"title":"hold"}`))
	if err != nil {
		t.Fatal(err)
	}
	behind, err := n.Enqueue(ctx, "POST", "/indexes/docs/documents", []byte(`{"id":2,"title":"fine"}`))
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for range 3 {
		eventually(t, 20*time.Second, "the batch to be built", func(context.Context) bool {
			found, err := filepath.Glob(filepath.Join(n.Folder(), "shards", "attempts", "*"))
			if err != nil || len(found) != 1 {
				return false
			}
			text, err := os.ReadFile(found[0])
			if err != nil || len(text) == 0 || string(text) == last {
				return false
			}
			last = string(text)
			return true
		})
		n.Kill()
		if err := n.Start(c); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 20*time.Second, "the node to answer", func(ctx context.Context) bool {
		status, _, err := n.Do(ctx, "GET", "/health", nil)
		return err == nil && status == http.StatusOK
	})
	if status, message := outcome(t, n, deadly); status != "failed" || !strings.Contains(message, "ended the node that did it 3 times") {
		t.Errorf("the deadly task: %s %s", status, message)
	}
	if status, message := outcome(t, n, behind); status != "succeeded" {
		t.Errorf("the task behind it: %s %s", status, message)
	}
}
