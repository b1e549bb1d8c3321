package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/history"
	"shoal/cluster-test/rig"
)

const (
	// historyGroups are written each by one client; a batch changes all documents of one.
	historyGroups, groupDocuments = 6, 8
)

// clients write and read groups of documents through all nodes, and write down what they
// saw.
type clients struct {
	t    *testing.T
	c    *clustertest.Cluster
	seed uint64
	history.Recorder

	mu     sync.Mutex
	writes int
	cuts   int // multi-searches that were answered
}

// TestHistoriesUnderKillsAndFreezesAreExplained: acknowledged writes, succeeded and reads on
// any node while nodes are killed and frozen fit one order of events, and nobody ever sees
// half a batch.
func TestHistoriesUnderKillsAndFreezesAreExplained(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(2))
	rig.Start(t, c)
	checkHistory(t, c, func(ctx context.Context, r *rand.Rand) {
		victim := c.Nodes[r.IntN(3)]
		if r.IntN(2) == 0 {
			victim = leader(t, c)
		}
		if r.IntN(3) == 0 {
			d := time.Duration(500+r.IntN(3000)) * time.Millisecond
			t.Logf("%s is frozen for %s", victim.Name, d)
			if err := victim.Freeze(); err != nil {
				t.Fatal(err)
			}
			pause(ctx, d)
			if err := victim.Thaw(); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Logf("%s is killed", victim.Name)
		victim.Kill()
		pause(ctx, time.Duration(r.IntN(1500))*time.Millisecond)
		restart(t, c, victim)
	})
}

// TestHistoriesUnderCutsAreExplained is the same while the network falls apart.
func TestHistoriesUnderCutsAreExplained(t *testing.T) {
	c, net := partitioned(t, 2)
	checkHistory(t, c, func(ctx context.Context, r *rand.Rand) {
		n := c.Nodes[r.IntN(3)]
		d := time.Duration(500+r.IntN(4000)) * time.Millisecond
		t.Logf("%s is cut off for %s", n.Name, d)
		net.cut(n)
		pause(ctx, d)
		net.heal(n)
	})
}

// checkHistory does harm to a cluster with clients, and judges what they saw.
func checkHistory(t *testing.T, c *clustertest.Cluster, harm func(context.Context, *rand.Rand)) {
	t.Helper()
	seed := seeded(t)
	write(t, c.Nodes[0], "PATCH", "/indexes/docs/settings", map[string]any{"filterableAttributes": []string{"group"}})
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	s := &clients{t: t, c: c, seed: seed}
	ctx, cancel := context.WithTimeout(t.Context(), length(t, 7*time.Second))
	defer cancel()
	var work sync.WaitGroup
	for group := range historyGroups {
		work.Go(func() { s.write(ctx, group) })
	}
	for reader := range 3 {
		work.Go(func() { s.read(ctx, reader) })
	}
	r := rand.New(rand.NewPCG(seed, 99))
	for ctx.Err() == nil {
		pause(ctx, time.Duration(500+r.IntN(1000))*time.Millisecond)
		harm(ctx, r)
	}
	work.Wait()
	t.Logf("%d writes succeeded, %d reads, %d multi-searches", s.writes, s.Reads(), s.cuts)
	if s.writes < 5 || s.Reads() < 30 || s.cuts < 10 {
		t.Error("that is too little to tell")
	}
	if err := s.Check(time.Minute); err != nil {
		t.Error(err)
	}
}

// write sends batch after batch of one group, each through any node.
func (s *clients) write(ctx context.Context, group int) {
	r := rand.New(rand.NewPCG(s.seed, uint64(group)))
	for batch := 1; ctx.Err() == nil; batch++ {
		var docs []map[string]any
		for i := range groupDocuments {
			docs = append(docs, map[string]any{"id": group*1000 + i, "group": group, "batch": batch})
		}
		one, cancel := context.WithTimeout(ctx, 8*time.Second)
		n := s.c.Nodes[r.IntN(3)]
		known := s.Write(group, batch)
		uid, err := n.Enqueue(one, "POST", "/indexes/docs/documents", docs)
		if err == nil {
			_, err = s.c.Nodes[r.IntN(3)].Wait(one, uid)
		}
		cancel()
		known(err == nil)
		if err == nil {
			s.mu.Lock()
			s.writes++
			s.mu.Unlock()
		} else {
			pause(ctx, 500*time.Millisecond) // few fates are left open
		}
		pause(ctx, time.Duration(20+r.IntN(100))*time.Millisecond)
	}
}

// read asks any node for a group, alone or twice in one request.
func (s *clients) read(ctx context.Context, reader int) {
	r := rand.New(rand.NewPCG(s.seed, uint64(500+reader)))
	for ctx.Err() == nil {
		group, n := r.IntN(historyGroups), s.c.Nodes[r.IntN(3)]
		query := map[string]any{"indexUid": "docs", "filter": fmt.Sprintf("group = %d", group), "limit": 2 * groupDocuments}
		one, cancel := context.WithTimeout(ctx, 6*time.Second)
		seen := s.Read(group)
		a, err := n.Ask(one, "POST", "/multi-search", map[string]any{"queries": []any{query, query}})
		cancel()
		if err == nil && a.Status == http.StatusOK && a.Header.Get("Shoal-Stale") == "" {
			if batch, ok := s.judge(n, group, a.Body); ok {
				seen(batch)
			}
		}
		pause(ctx, time.Duration(5+r.IntN(20))*time.Millisecond)
	}
}

// judge returns the batch that an answer about a group shows.
func (s *clients) judge(n *clustertest.Node, group int, body []byte) (batch int, ok bool) {
	batch, err := history.Shown(body, groupDocuments)
	if err != nil {
		s.t.Errorf("%s, group %d: %v", n.Name, group, err)
		return 0, false
	}
	s.mu.Lock()
	s.cuts++
	s.mu.Unlock()
	return batch, true
}
