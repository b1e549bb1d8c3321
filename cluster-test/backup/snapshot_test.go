package backup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// taken takes a snapshot and returns its file, wherever the leader wrote it, and
// the uid of its task.
func taken(t *testing.T, c *clustertest.Cluster) (file string, task uint32) {
	t.Helper()
	k := &client{t: t, nodes: c.Nodes}
	task = k.write("POST", "/snapshots", nil)
	files, err := filepath.Glob(filepath.Join(c.Dir, "snapshots", "*.snapshot"))
	if err != nil || len(files) != 1 {
		t.Fatalf("snapshots %v, %v", files, err)
	}
	return files[0], task
}

// A snapshot of three nodes fills three other nodes, and a single one.
func TestSnapshotFillsNewClusters(t *testing.T) {
	first := start(t, 3, "", "")
	fill(t, first.Nodes)
	file, task := taken(t, first)
	before := look(t, first.Nodes, task)
	first.Close()
	for _, nodes := range []int{3, 1} {
		c := start(t, nodes, "import-snapshot", file)
		equal(t, "three nodes to "+string(rune('0'+nodes)), before, look(t, c.Nodes, task))
		k := &client{t: t, nodes: c.Nodes}
		k.write("POST", "/indexes/films/documents", films(documents, 20))
		c.Close()
	}

	// Damaged in the middle, or cut off: refused in one line, and nothing was written.
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)/2] ^= 0x40
	refused(t, "import-snapshot", "flipped.snapshot", flipped)
	short := whole[:len(whole)*2/3]
	refused(t, "import-snapshot", "short.snapshot", short)
	t.Run("many", func(t *testing.T) { nobodyServes(t, short) })
}

// nobodyServes: of three nodes that are told to read a damaged snapshot the leader
// ends; the others do not pass for a cluster without documents.
func nobodyServes(t *testing.T, content []byte) {
	file := filepath.Join(t.TempDir(), "short.snapshot")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	c := prepare(t, 3, "import-snapshot", file)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ended := make(chan *clustertest.Node, len(c.Nodes))
	for _, n := range c.Nodes {
		if err := n.Start(c); err != nil {
			t.Fatal(err)
		}
		go func() {
			if status, _, err := n.Ended(ctx); err == nil && status != 0 {
				ended <- n
			}
		}()
	}
	var dead *clustertest.Node
	select {
	case dead = <-ended:
	case <-ctx.Done():
		t.Fatal("no node refused the snapshot")
	}
	for _, n := range c.Nodes {
		if n == dead {
			continue
		}
		status, body, err := n.Do(ctx, "GET", "/indexes", nil)
		for ; err != nil && ctx.Err() == nil; status, body, err = n.Do(ctx, "GET", "/indexes", nil) {
			time.Sleep(20 * time.Millisecond) // it does not listen yet
		}
		if err != nil || status != 503 {
			t.Errorf("%s after %s refused the snapshot: %d %s %v", n.Name, dead.Name, status, body, err)
		}
	}
}

// A dump that is damaged is refused as well.
func TestDamagedDumpIsRefused(t *testing.T) {
	c := start(t, 1, "", "")
	k := &client{t: t, nodes: c.Nodes}
	k.write("POST", "/indexes/films/documents", films(0, 50))
	file, _ := dumped(t, c)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, "import-dump", "short.dump", whole[:len(whole)*2/3])
	refused(t, "import-dump", "text.dump", []byte("no archive"))
}

// refused starts a node with a bad file: it must end by itself with one line of
// explanation, and leave no folder behind.
func refused(t *testing.T, option, name string, content []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	c := prepare(t, 1, option, file)
	n := c.Nodes[0]
	if err := n.Start(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	status, log, err := n.Ended(ctx)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log), "\n")
	last := lines[len(lines)-1]
	if status == 0 || !strings.Contains(last, name) {
		t.Errorf("%s: status %d, last line %s", name, status, last)
	}
	for _, line := range lines[:len(lines)-1] {
		if !strings.Contains(line, "INFO") && !strings.Contains(line, "WARN") {
			t.Errorf("%s: another line: %s", name, line)
		}
	}
	if _, err := os.Stat(n.Folder()); err == nil {
		t.Errorf("%s: the folder is still there", name)
	}
	t.Logf("%s: %s", name, last)
}
