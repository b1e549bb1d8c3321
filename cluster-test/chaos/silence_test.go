package chaos

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// watch searches on a node until stop and reports the longest time between two
// answers.
type watch struct {
	node    *clustertest.Node
	silence time.Duration
	done    int
	failed  int
	last    string // failure
}

func (w *watch) run(ctx context.Context, index string) {
	last := time.Now()
	for ctx.Err() == nil {
		one, cancel := context.WithTimeout(ctx, 20*time.Second)
		a, err := w.node.Ask(one, "POST", "/indexes/"+index+"/search", map[string]any{"q": "document"})
		cancel()
		if ctx.Err() != nil {
			w.silence = max(w.silence, time.Since(last))
			return
		}
		w.silence = max(w.silence, time.Since(last))
		switch {
		case err != nil:
			w.failed++
			w.last = err.Error()
		case a.Status != http.StatusOK:
			w.failed++
			w.last = string(a.Body)
		default:
			w.done++
			last = time.Now()
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// watched searches on nodes while f runs.
func watched(t *testing.T, nodes []*clustertest.Node, index string, limit time.Duration, what string, f func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	watches := make([]*watch, len(nodes))
	for i, n := range nodes {
		watches[i] = &watch{node: n}
		wg.Go(func() { watches[i].run(ctx, index) })
	}
	f()
	cancel()
	wg.Wait()
	for _, w := range watches {
		t.Logf("%s: on %s %d searches, %d failed, longest silence %s %.200s", what, w.node.Name, w.done, w.failed, w.silence.Round(time.Millisecond), w.last)
		if w.silence > limit {
			t.Errorf("%s: %s was silent for %s, at most %s is promised", what, w.node.Name, w.silence.Round(time.Millisecond), limit)
		}
	}
}

func TestSearchesGoOnWhenANodeDiesOrHangs(t *testing.T) {
	c := start(t, 3, 7)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 300))
	for _, kind := range []string{"leader", "follower"} {
		victim := leader(t, c)
		if kind == "follower" {
			victim = others(c, victim)[0]
		}
		survivors := others(c, victim)
		watched(t, survivors, "docs", 2*time.Second, kind+" killed", func() {
			time.Sleep(300 * time.Millisecond)
			victim.Kill()
			time.Sleep(6 * time.Second)
		})
		restart(t, c, victim)
		watched(t, survivors, "docs", 3*time.Second, kind+" frozen", func() {
			time.Sleep(300 * time.Millisecond)
			if err := victim.Freeze(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(length(t, 10*time.Second))
			if err := victim.Thaw(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if err := victim.Ready(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
}

// restart starts a node and waits until it answers.
func restart(t *testing.T, c *clustertest.Cluster, n *clustertest.Node) {
	t.Helper()
	if err := n.Start(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := n.Ready(ctx); err != nil {
		t.Fatal(err)
	}
}
