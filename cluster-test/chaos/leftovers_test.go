package chaos

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// oneVectorMissing makes NDJSON of n documents of which one fails the batch. The shards of
// the others have built their part by then.
func oneVectorMissing(from, n int) []byte {
	var b []byte
	for id := from; id < from+n; id++ {
		vectors := `{"v":[0.1,0.2,0.3]}`
		if id == from+n/2 {
			vectors = `{"v":[0.1,0.2]}`
		}
		b = fmt.Appendf(b, `{"id":%d,"title":"document number %d with some words","_vectors":%s}`+"\n", id, id, vectors)
	}
	return b
}

// undecided are the results of builds that a node keeps without knowing what becomes of
// them: as it counts them, and the files in its staging folder.
func undecided(ctx context.Context, n *clustertest.Node) (deltas string, files int, err error) {
	err = n.ReadWatched(ctx, "/metrics", func(in io.Reader) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			if value, ok := strings.CutPrefix(lines.Text(), "shoal_store_undecided_deltas"); ok {
				deltas = value[strings.LastIndexByte(value, ' ')+1:]
			}
		}
		return lines.Err()
	})
	if err != nil {
		return "", 0, err
	}
	staged, err := os.ReadDir(filepath.Join(n.Folder(), "shards", "staging"))
	return deltas, len(staged), err
}

// Imports that fail on one vector each left 40 MiB on the disk of every holder and 160 MiB
// in its memory, for good.
func TestImportsThatFailLeaveNothingBehindOnAnyHolder(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(4))
	for _, n := range c.Nodes {
		if err := n.Watch(); err != nil {
			t.Fatal(err)
		}
	}
	rig.Start(t, c)
	write(t, c.Nodes[0], "PATCH", "/indexes/docs/settings", map[string]any{
		"embedders": map[string]any{"v": map[string]any{"source": "userProvided", "dimensions": 3}}})
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", []byte(`{"id":1,"title":"stays","_vectors":{"v":[0.1,0.2,0.3]}}`))
	fail := func(n *clustertest.Node, round int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		uid, err := n.Enqueue(ctx, "POST", "/indexes/docs/documents", oneVectorMissing(1000*round, 200))
		if err != nil {
			t.Fatal(err)
		}
		if status, _ := outcome(t, n, uid); status != "failed" {
			t.Fatalf("import %d: %s, want failed", round, status)
		}
	}
	nothingLeft := func(when string) {
		t.Helper()
		for _, n := range c.Nodes {
			eventually(t, 20*time.Second, n.Name+" has nothing left, "+when, func(ctx context.Context) bool {
				deltas, files, err := undecided(ctx, n)
				return err == nil && deltas == "0" && files == 0
			})
		}
	}
	for round := range 6 {
		fail(c.Nodes[0], round+1)
	}
	nothingLeft("all were there")
	// One node is away, with what it had at that moment, while the leader changes.
	led := leader(t, c)
	away := others(c, led)[0]
	fail(led, 7)
	away.Kill()
	fail(led, 8)
	if err := away.Start(c); err != nil {
		t.Fatal(err)
	}
	if err := away.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	fail(led, 9)
	led.Kill()
	fail(away, 10)
	if err := led.Start(c); err != nil {
		t.Fatal(err)
	}
	if err := led.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	nothingLeft("after restarts and another leader")
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", []byte(`{"id":2,"title":"comes","_vectors":{"v":[0.1,0.2,0.3]}}`))
	for _, n := range c.Nodes {
		eventually(t, 10*time.Second, "both documents on "+n.Name, func(ctx context.Context) bool {
			all, err := ids(ctx, n, "docs")
			return err == nil && len(all) == 2
		})
	}
}
