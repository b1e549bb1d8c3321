package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// Row 13 of the failure matrix: a cluster grows from three nodes to five and shrinks to
// three others under load. No search fails, no acknowledged write is lost, and what one
// node calls succeeded every other one shows.
func TestRow13NodesJoinAndLeaveUnderLoad(t *testing.T) {
	random := rand.New(rand.NewPCG(seeded(t), 13))
	end := time.Now().Add(length(t, 0))
	c := start(t, 3, 2)
	write(t, c.Nodes[0], "PATCH", "/indexes/docs/settings", map[string]any{"filterableAttributes": []string{"even", "id"}, "sortableAttributes": []string{"id"}})
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 500))
	load := &traffic{t: t, acknowledged: map[int]bool{}, nodes: slices.Clone(c.Nodes)}
	load.start(c.Nodes)
	defer load.stop()
	shown := &showing{t: t, load: load}
	load.work.Go(shown.run)

	for round := 0; round == 0 || time.Now().Before(end); round++ {
		begin := time.Now()
		for range 2 {
			n, err := c.Join()
			if err != nil {
				t.Fatal(err)
			}
			restart(t, c, n)
			load.with(n)
		}
		settled(t, c, 5, "two nodes joined")
		voting(t, c, 5)
		grown := time.Since(begin)
		// The one that leads leaves, and another one.
		leave(t, c, load, leader(t, c))
		leave(t, c, load, c.Nodes[random.IntN(len(c.Nodes))])
		settled(t, c, 3, "two nodes left")
		voting(t, c, 3)
		t.Logf("round %d: five nodes after %.1f s, three after %.1f s; %d writes acknowledged, %d searches answered, %d shown elsewhere",
			round, grown.Seconds(), time.Since(begin).Seconds(), load.written(), load.searched(), shown.n.Load())
		if t.Failed() {
			break
		}
	}
	load.stop()
	if load.written() < 20 || load.searched() < 50 || shown.n.Load() < 5 {
		t.Errorf("only %d writes, %d searches, %d shown elsewhere", load.written(), load.searched(), shown.n.Load())
	}
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(500, 1)) // all before it is done
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	haveAll(ctx, t, c, load.acknowledged)
}

// with lets a node have requests, too.
func (f *traffic) with(n *clustertest.Node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nodes = append(f.nodes, n)
}

// voting waits until so many members have a vote.
func voting(t *testing.T, c *clustertest.Cluster, votes int) {
	t.Helper()
	eventually(t, 40*time.Second, fmt.Sprintf("%d votes", votes), func(ctx context.Context) bool {
		s, err := c.Nodes[0].Status(ctx)
		return err == nil && s.Voters() == votes
	})
}

// leave takes a node out as an operator does: its copies are moved away, it is stopped
// without clients, and removed.
func leave(t *testing.T, c *clustertest.Cluster, load *traffic, n *clustertest.Node) {
	t.Helper()
	via := others(c, n)[0]
	if status, b, err := via.Do(t.Context(), "POST", "/cluster/nodes/"+n.Name+"/drain", nil); err != nil || status != http.StatusOK {
		t.Fatalf("drain %s: %d %s %v", n.Name, status, b, err)
	}
	eventually(t, 40*time.Second, n.Name+" to be empty", func(ctx context.Context) bool {
		s, err := via.Status(ctx)
		return err == nil && s.Healthy && !s.Holds(n.Name)
	})
	load.without(n, n.Stop)
	load.drop(n)
	c.Nodes = others(c, n)
	eventually(t, 20*time.Second, n.Name+" to be removed", func(ctx context.Context) bool {
		status, _, err := via.Do(ctx, "DELETE", "/cluster/nodes/"+n.Name, nil)
		return err == nil && status == http.StatusOK
	})
}

// drop takes a node that is gone off the list for good.
func (f *traffic) drop(n *clustertest.Node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nodes = slices.DeleteFunc(slices.Clone(f.nodes), func(o *clustertest.Node) bool { return o == n })
}

// showing checks that what one node calls succeeded is there on every other one.
type showing struct {
	t    *testing.T
	load *traffic
	n    atomic.Int64
}

func (s *showing) run() {
	for id := 1_000_000; s.load.pause(20 * time.Millisecond); id++ {
		s.load.busy.RLock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.load.ctx), 15*time.Second)
		one, two := s.load.any(), s.load.any()
		if err := one.Write(ctx, "POST", "/indexes/docs/documents", documents(id, 1)); err == nil { // a write may be refused while the lead changes
			status, b, err := two.Do(ctx, "GET", fmt.Sprintf("/indexes/docs/documents/%d", id), nil)
			if err != nil || status != http.StatusOK {
				s.t.Errorf("%s called the task of document %d succeeded, %s answers %d %.200s %v", one.Name, id, two.Name, status, b, err)
			}
			s.n.Add(1)
		}
		cancel()
		s.load.busy.RUnlock()
	}
}
