package backup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	clustertest "shoal/cluster-test"
)

// dumped takes a dump and returns its file and the uid of its task.
func dumped(t *testing.T, c *clustertest.Cluster) (file string, task uint32) {
	t.Helper()
	k := &client{t: t, nodes: c.Nodes}
	task = k.write("POST", "/dumps", nil)
	var done struct{ Details struct{ DumpUID string } }
	if err := json.Unmarshal(k.ask("GET", fmt.Sprintf("/tasks/%d", task), nil), &done); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(c.Dir, "dumps", done.Details.DumpUID+".dump"), task
}

// A dump of three nodes fills one node, whose dump fills three nodes; everything
// stays.
func TestDumpGoesRound(t *testing.T) {
	first := start(t, 3, "", "")
	fill(t, first.Nodes)
	file, task := dumped(t, first)
	before := look(t, first.Nodes, task)
	first.Close()

	single := start(t, 1, "import-dump", file)
	equal(t, "three nodes to one", before, look(t, single.Nodes, task))
	file, _ = dumped(t, single)
	single.Close()

	last := start(t, 3, "import-dump", file)
	equal(t, "one node to three", before, look(t, last.Nodes, task))
	k := &client{t: t, nodes: last.Nodes}
	k.write("POST", "/indexes/films/documents", films(documents, 20))
}

// The dump of the reference, where it is at hand, arrives on three nodes.
func TestDumpOfTheReference(t *testing.T) {
	file, err := filepath.Abs("../../../shared/datasets/reference-v6.dump")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Skip("needs ../shared/datasets/reference-v6.dump")
	}
	c := start(t, 3, "import-dump", file)
	k := &client{t: t, nodes: c.Nodes}
	stats := string(k.ask("GET", "/stats", nil))
	var s struct {
		Indexes map[string]struct{ NumberOfDocuments int }
	}
	if err := json.Unmarshal([]byte(stats), &s); err != nil || len(s.Indexes) == 0 {
		t.Fatal(stats, err)
	}
	for uid, index := range s.Indexes {
		answer := string(k.ask("POST", "/indexes/"+uid+"/search", `{"page":1,"hitsPerPage":1}`))
		if total := fmt.Sprintf(`"totalHits":%d`, index.NumberOfDocuments); !strings.Contains(answer, total) {
			t.Errorf("%s: %s, want %s", uid, answer, total)
		}
		t.Logf("%s: %d documents", uid, index.NumberOfDocuments)
	}
}
