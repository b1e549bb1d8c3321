package embedding

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// documents are n documents whose texts are all different.
func documents(from, n int) (out []map[string]any) {
	for i := from; i < from+n; i++ {
		out = append(out, map[string]any{"id": i, "t": fmt.Sprintf("%s%s %d", strings.Repeat("a", i%17), strings.Repeat("b", i%13), i)})
	}
	return out
}

// Copies, moves and reshards take the vectors that one builder was given.
func TestEachTextIsAskedForOnceHoweverManyCopiesThereAre(t *testing.T) {
	c := start(t, 3, rig.Shards(2))
	s, n := newServer(t), c.Nodes[0]
	must(t, n, "POST", "/indexes", map[string]any{"uid": "docs", "primaryKey": "id"})
	goal := func(shards, replicas int) {
		t.Helper()
		status, b, err := n.Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"shards": shards, "replicas": replicas})
		if err != nil || status != 200 {
			t.Fatalf("%d %s %v", status, b, err)
		}
		held(t, n, shards, replicas)
	}
	must(t, n, "PATCH", "/indexes/docs/settings", s.embedder(2, ""))
	goal(2, 3)
	must(t, n, "POST", "/indexes/docs/documents", documents(0, 300))
	want := hits(t, n, "aabb")
	once := func(what string, texts int) {
		t.Helper()
		counts := s.counts()
		delete(counts, "aabb") // the query, which every node asks for
		for text, n := range counts {
			if n != 1 {
				t.Errorf("%s: %q was asked for %d times", what, text, n)
			}
		}
		if len(counts) != texts {
			t.Errorf("%s: %d texts were asked for, want %d", what, len(counts), texts)
		}
	}
	once("an import", 300)
	for _, o := range c.Nodes {
		if got := hits(t, o, "aabb"); got != want {
			t.Errorf("%s finds %s, %s found %s", o.Name, got, n.Name, want)
		}
	}
	goal(2, 1)
	goal(2, 2)
	goal(3, 2)
	once("copies and shards moved", 300)
	for _, o := range c.Nodes {
		if got := hits(t, o, "aabb"); got != want {
			t.Errorf("after the move %s finds %s, before %s", o.Name, got, want)
		}
	}
	// Only the new text of a document is asked for.
	must(t, n, "PUT", "/indexes/docs/documents", []map[string]any{{"id": 3, "t": "new"}, {"id": 4, "other": 1}})
	once("an update", 301)
}

// held waits until each of shards has exactly replicas copies in sync.
func held(t *testing.T, n *clustertest.Node, shards, replicas int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		status, err := n.Status(ctx)
		if err != nil {
			t.Fatal(err)
		}
		holders, done := status.Holders("docs"), true
		for _, names := range holders {
			done = done && len(names) == replicas
		}
		if done && len(holders) == shards {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("docs has the copies %v, want %d shards with %d", holders, shards, replicas)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
