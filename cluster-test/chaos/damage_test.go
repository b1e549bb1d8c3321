package chaos

import (
	"net/http"
	"path/filepath"
	"testing"
)

// Row 20 of the failure matrix, where a node cannot mend itself: one whose log was damaged
// ends and says what to do, the others serve, and with an empty folder it is whole again.
// What it does about its shards see repair_test.go.
func TestRow20ADamagedFileIsToldAndAnEmptyFolderMendsIt(t *testing.T) {
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
		"the log":         func(dir string) { spoil(t, dir, "raft", ".db") },
		"the log's state": func(dir string) { spoil(t, filepath.Join(dir, "raft"), "state", "MANIFEST") },
	} {
		hit.Stop()
		restart(t, c, hit) // what the stores' logs hold becomes tables
		hit.Stop()
		harm(hit.Folder())
		t.Log(name)
		refused(t, c, hit, hit.Folder(), "damaged", "empty one", "comes back by itself")
		write(t, via, "POST", "/indexes/docs/documents", documents(written, 50))
		written += 50
		wipe(t, hit)
		restart(t, c, hit)
		whole(t, via, 3, 3)
	}
	allThere(t, c.Nodes, written)
}
