package operation

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// TestEveryPanelHasAnAnswer runs the queries of all boards, and what the alerts watch,
// against the figures of three nodes that work: no panel is empty.
func TestEveryPanelHasAnAnswer(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(3))
	var metrics []string
	for _, n := range c.Nodes {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		n.Option("metrics-addr", free.Addr().String())
		metrics = append(metrics, "http://"+free.Addr().String()+"/metrics")
		if err := free.Close(); err != nil {
			t.Fatal(err)
		}
	}
	rig.Start(t, c)
	for _, m := range metrics {
		for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			if res, err := http.Get(m); err == nil {
				_ = res.Body.Close()
				break
			} else if time.Since(begun) > 10*time.Second {
				t.Fatal(err)
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	write := func(round int) error {
		var docs bytes.Buffer
		for i := range 2000 {
			fmt.Fprintf(&docs, `{"id":%d,"title":"a lantern by the harbour %d of %d","text":%q}`+"\n", i+2000*(round%5), i%97, round, strings.Repeat("word ", i%50))
		}
		return c.Nodes[0].Write(ctx, "POST", "/indexes/things/documents", docs.Bytes())
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	working.Go(func() {
		for round := 1; ctx.Err() == nil; round++ {
			if err := write(round); err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	for _, n := range c.Nodes {
		working.Go(func() { search(ctx, t, n) })
	}
	check := exec.CommandContext(ctx, "go", "run", "./check", "-manifests", "", "-metrics", strings.Join(metrics, ","))
	check.Dir = "../../deploy/build"
	out, err := check.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("queries of alerts and boards are right")) {
		t.Errorf("%v: %s", err, out)
	}
}

// search searches until ctx ends, and reads documents.
func search(ctx context.Context, t *testing.T, n *clustertest.Node) {
	for i := 0; ctx.Err() == nil; i++ {
		status, b, err := n.Do(ctx, "POST", "/indexes/things/search", map[string]any{"q": fmt.Sprintf("lantern harbour %d", i%97)})
		if ctx.Err() == nil && (err != nil || status != http.StatusOK) {
			t.Errorf("%d %s %v", status, b, err)
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}
