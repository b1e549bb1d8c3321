package chaos

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// partitioned is a cluster whose nodes can be cut off from each other.
func partitioned(t *testing.T, shards int) (*clustertest.Cluster, *network) {
	t.Helper()
	c := rig.New(t, 3, rig.Shards(shards))
	net := newNetwork(t, c)
	rig.Start(t, c)
	return c, net
}

func TestANodeThatIsCutOffRefusesWritesAndTheOthersGoOn(t *testing.T) {
	c, net := partitioned(t, 2)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 200))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if status, b, err := c.Nodes[0].Do(ctx, "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, b, err)
	}
	next := 1000
	for _, kind := range []string{"leader", "follower"} {
		eventually(t, 30*time.Second, "a copy on each node, and each to know it", func(context.Context) bool {
			for _, n := range c.Nodes {
				for _, names := range holders(t, n, "docs") {
					if len(names) != 3 {
						return false
					}
				}
			}
			return true
		})
		lonely := leader(t, c)
		if kind == "follower" {
			lonely = others(c, lonely)[0]
		}
		majority := others(c, lonely)
		net.cut(lonely)
		acknowledged, succeeded := written(t, majority[0], next)
		t.Logf("%s cut off: a write was acknowledged by the others after %s and succeeded after %s", kind, acknowledged.Round(time.Millisecond), succeeded.Round(time.Millisecond))
		if succeeded > 8*time.Second { // a node that is silent is found out by time only
			t.Errorf("%s cut off: a write of the others succeeded after %s", kind, succeeded)
		}
		within(t, 6*time.Second, "a refusal of a write", func(ctx context.Context) {
			status, b, err := lonely.Do(ctx, "POST", "/indexes/docs/documents", documents(next+1, 1))
			if err != nil || status != http.StatusServiceUnavailable || !strings.Contains(string(b), `"no_leader"`) {
				t.Errorf("a write on the node that is cut off: %d %s %v", status, b, err)
			}
		})
		if status, b, err := lonely.Do(ctx, "GET", "/tasks?limit=1", nil); err != nil || status != http.StatusServiceUnavailable {
			t.Errorf("tasks on the node that is cut off: %d %s %v", status, b, err)
		}
		a, err := lonely.Ask(ctx, "POST", "/indexes/docs/search", map[string]any{"q": "document"})
		if err != nil || a.Status != http.StatusOK || a.Header.Get("Shoal-Stale") == "" {
			t.Errorf("a search on the node that is cut off: %+v %v", a, err)
		}
		net.heal(lonely)
		begin := time.Now()
		eventually(t, 20*time.Second, "the node to be back", func(ctx context.Context) bool {
			a, err := lonely.Ask(ctx, "POST", "/indexes/docs/search", map[string]any{"q": strconv.Itoa(next)})
			return err == nil && a.Status == http.StatusOK && a.Header.Get("Shoal-Stale") == "" && strings.Contains(string(a.Body), `"id":`+strconv.Itoa(next)+",")
		})
		t.Logf("%s: back and up to date after %s", lonely.Name, time.Since(begin).Round(time.Millisecond))
		write(t, lonely, "POST", "/indexes/docs/documents", documents(next+2, 1))
		next += 1000
	}
}

// Nothing that was acknowledged is lost however often the network falls apart, and
// nothing comes back that was not sent.
func TestPartitionsLoseNoAcknowledgedWrite(t *testing.T) {
	seed := seeded(t)
	c, net := partitioned(t, 2)
	s := &storm{t: t, c: c, seed: seed, sent: map[int]bool{}, kept: map[int]bool{}}
	write(t, c.Nodes[0], "POST", "/indexes", map[string]any{"uid": "docs", "primaryKey": "id"})
	ctx, cancel := context.WithTimeout(t.Context(), length(t, 30*time.Second))
	defer cancel()
	var wg sync.WaitGroup
	for worker := range 3 {
		wg.Go(func() { s.write(ctx, worker) })
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for ctx.Err() == nil {
		pause(ctx, time.Duration(500+r.IntN(1500))*time.Millisecond)
		cut := []*clustertest.Node{c.Nodes[r.IntN(3)]}
		if r.IntN(4) == 0 {
			cut = c.Nodes // everybody is alone
		}
		for _, n := range cut {
			net.cut(n)
		}
		d := time.Duration(500+r.IntN(6000)) * time.Millisecond
		t.Logf("%d of 3 nodes are cut off for %s", len(cut), d)
		pause(ctx, d)
		for _, n := range cut {
			net.heal(n)
		}
	}
	wg.Wait()
	healthy(t, c.Nodes[0])
	s.check()
}
