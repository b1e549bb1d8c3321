package chaos

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// Row 18 of the failure matrix: the disk of one node is full, then has room. The others
// go on, and the node comes back by itself: nobody starts it again.
func TestRow18AFullDiskInAClusterNeedsNobodyToStartTheNode(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1))
	n := c.Nodes[1]
	small(t, n, "64m")
	t.Cleanup(c.Close) // before the file system is taken away
	n.Option("db-path", n.Folder()+"/db")
	rig.Start(t, c)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 100))
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	pid := n.PID()
	free := fill(t, n.Folder())
	written := 100
	said := func() bool { return told(n, "is full") }
	eventually(t, time.Minute, "the node to notice", func(context.Context) bool {
		write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(written, 20))
		written += 20
		return said()
	})
	for range 5 {
		write(t, c.Nodes[2], "POST", "/indexes/docs/documents", documents(written, 20))
		written += 20
	}
	eventually(t, 10*time.Second, "the process to live", func(ctx context.Context) bool {
		one, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		a, err := n.Ask(one, "GET", "/livez", nil)
		return err == nil && a.Status == http.StatusOK
	})
	begin := time.Now()
	free()
	whole(t, c.Nodes[0], 3, 3)
	t.Logf("all copies in sync %.1f s after there was room", time.Since(begin).Seconds())
	if now := n.PID(); now != pid || pid == 0 {
		t.Errorf("the process was %d and is %d", pid, now)
	}
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(written, 20))
	allThere(t, c.Nodes, written+20)
}

// fill leaves no room on the disk of a folder; free gives it back.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 64<<10)
	for len(block) > 0 {
		if _, err = f.Write(block); err != nil {
			block = block[:len(block)/2] // the last bytes, too
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}

// told tells whether the log of a node has a text.
func told(n *clustertest.Node, text string) bool { return strings.Contains(n.Tail(1000), text) }
