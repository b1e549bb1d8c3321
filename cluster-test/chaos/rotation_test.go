package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// The secret of a cluster is changed while clients write: each node is restarted
// with the old one and the new one accepted, then with the new one and the old one
// accepted, then with the new one alone.
func TestASecretIsChangedWithoutAStop(t *testing.T) {
	secrets := [2]string{strings.Repeat("0123456789abcdef", 4), "the new secret of this cluster"}
	c := rig.New(t, 3, rig.Shards(1))
	give := func(n *clustertest.Node, lines ...string) {
		t.Helper()
		n.Env = []string{"SHOAL_CLUSTER_SECRET="}
		path := filepath.Join(c.Dir, n.Name+".secret")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		n.Option("cluster-secret-file", path)
	}
	for _, n := range c.Nodes {
		give(n, secrets[0])
	}
	rig.Start(t, c)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
	stop := make(chan struct{})
	var writers sync.WaitGroup
	var mu sync.Mutex
	acknowledged := map[int]bool{}
	longest := time.Duration(0)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	writers.Go(func() {
		last := time.Now()
		for id := 1000; ; id++ {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
			one, done := context.WithTimeout(ctx, 6*time.Second)
			_, err := c.Nodes[id%3].Enqueue(one, "POST", "/indexes/docs/documents", documents(id, 1))
			done()
			if err == nil {
				mu.Lock()
				acknowledged[id] = true
				longest = max(longest, time.Since(last))
				last = time.Now()
				mu.Unlock()
			}
		}
	})
	for round, lines := range [][]string{{secrets[0], secrets[1]}, {secrets[1], secrets[0]}, {secrets[1]}} {
		for _, n := range c.Nodes {
			n.Stop()
			give(n, lines...)
			restart(t, c, n)
			eventually(t, 30*time.Second, fmt.Sprintf("all nodes to see each other in round %d", round+1), func(ctx context.Context) bool {
				for _, o := range c.Nodes {
					s, err := o.Status(ctx)
					if err != nil || !s.Healthy || s.Leader == "" || len(s.Nodes) != 3 {
						return false
					}
					for _, d := range s.Nodes {
						if !d.Alive {
							return false
						}
					}
				}
				return true
			})
		}
	}
	close(stop)
	writers.Wait()
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(10, 10)) // all before it is done
	t.Logf("%d writes were acknowledged, at most %s apart", len(acknowledged), longest.Round(time.Millisecond))
	if len(acknowledged) < 100 {
		t.Errorf("only %d writes were acknowledged", len(acknowledged))
	}
	haveAll(ctx, t, c, acknowledged)
	// The old secret is of no use any more.
	old := joining(t, c)
	give(old, secrets[0])
	refused(t, c, old, "--cluster-secret")
}
