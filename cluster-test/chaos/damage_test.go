package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// Row 20 of the failure matrix, where a node cannot mend itself: one whose log was damaged
// ends and says what to do, the others serve, and with an empty folder it is whole again.
// What it does about its shards see repair_test.go.
func TestRow20ADamagedFileIsToldAndAnEmptyFolderMendsIt(t *testing.T) {
	t.Parallel()
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 3000))
	// The node that is harmed must hold a copy.
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	via, hit := c.Nodes[0], c.Nodes[1]
	written := 3000
	for name, harm := range map[string]func(dir string){
		"the log":             func(dir string) { spoil(t, dir, "raft", ".db") },
		"an entry of the log": func(string) { alterEntry(t, hit) },
		"the log's state":     func(dir string) { spoil(t, filepath.Join(dir, "raft"), "state", "MANIFEST") },
	} {
		write(t, via, "POST", "/indexes/docs/documents", []byte(fmt.Sprintf(`{"id":%d,"title":"number of an entry"}`, written)))
		written++
		hit.Stop()
		restart(t, c, hit) // what the stores' logs hold becomes tables
		hit.Stop()
		harm(hit.Folder())
		t.Log(name)
		refused(t, c, hit, hit.Folder(), "damaged", "empty the folder", "the cluster fills it", "shoal recover")
		write(t, via, "POST", "/indexes/docs/documents", documents(written, 50))
		written += 50
		wipe(t, hit)
		restart(t, c, hit)
		whole(t, via, 3, 3)
	}
	allThere(t, c.Nodes, written)
}

// alterEntry changes one letter of an entry in the log of a node that does not run: of a
// document whose title is "number of an entry".
func alterEntry(t *testing.T, n *clustertest.Node) {
	t.Helper()
	path := filepath.Join(n.Folder(), "raft", "raft.db")
	b, err := os.ReadFile(path)
	if err == nil && !bytes.Contains(b, []byte("number of an entry")) {
		err = errors.New("the document is not in the log")
	}
	if err == nil {
		err = os.WriteFile(path, bytes.ReplaceAll(b, []byte("number of an entry"), []byte("number of en entry")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRow20ALogThatIsCutOffUnderARunningNodeEndsItWithALine: a disk that fails does not give
// back parts of the log, which the process reads through a map of it in memory. It was
// killed by SIGBUS, without a word.
func TestRow20ALogThatIsCutOffUnderARunningNodeEndsItWithALine(t *testing.T) {
	c := start(t, 3, 1)
	for id := range 20 { // of the size that is in the log
		write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(id*20, 20))
	}
	hit := c.Nodes[1]
	if hit == leader(t, c) {
		hit = c.Nodes[2]
	}
	before := hit.LogSize()
	begun := time.Now()
	if err := os.Truncate(filepath.Join(hit.Folder(), "raft", "raft.db"), 8<<10); err != nil {
		t.Fatal(err)
	}
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(400, 20))
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	status, log, err := hit.Ended(ctx)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(log[before:]), "\n")
	last := lines[len(lines)-1]
	if status != 1 || !strings.HasPrefix(last, "Error: ") || !strings.Contains(last, "raft.db") || !strings.Contains(last, "empty the folder") || strings.Contains(log[before:], "goroutine ") {
		t.Fatalf("status %d:\n%s", status, hit.Tail(40))
	}
	t.Logf("it ended %s after the cut: %s", time.Since(begun).Round(time.Millisecond), last)
	wipe(t, hit)
	restart(t, c, hit)
	allThere(t, c.Nodes, 420)
}
