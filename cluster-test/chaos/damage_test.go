package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
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
		"the log": func(dir string) { spoil(t, dir, "raft", ".db") },
		"an entry of the log": func(dir string) {
			path := filepath.Join(dir, "raft", "raft.db")
			b, err := os.ReadFile(path)
			if err == nil && bytes.Count(b, []byte("number of an entry")) == 0 {
				err = errors.New("the document is not in the log")
			}
			if err == nil {
				err = os.WriteFile(path, bytes.ReplaceAll(b, []byte("number of an entry"), []byte("number of en entry")), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		"the log's state": func(dir string) { spoil(t, filepath.Join(dir, "raft"), "state", "MANIFEST") },
	} {
		write(t, via, "POST", "/indexes/docs/documents", []byte(fmt.Sprintf(`{"id":%d,"title":"number of an entry"}`, written)))
		written++
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
