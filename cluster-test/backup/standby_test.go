package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// holds waits until a search of a standby finds so many documents.
func holds(t *testing.T, n *clustertest.Node, index string, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		_, body, err := n.Do(ctx, "POST", "/indexes/"+index+"/search", json.RawMessage(`{"page":1,"hitsPerPage":0}`))
		if err == nil && strings.Contains(string(body), fmt.Sprintf(`"totalHits":%d,`, want)) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s does not hold %d documents of %s: %s %v\n%s", n.Name, want, index, body, err, n.Tail(20))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// A second cluster follows the first one's snapshots while its own leader dies,
// refuses writes, and takes over with one command once the first one is gone.
func TestStandbyTakesOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "backups")
	first := prepare(t, 1, "backup-dir", dir)
	rig.Start(t, first)
	fill(t, first.Nodes)
	k := &client{t: t, nodes: first.Nodes}
	k.write("POST", "/snapshots", nil)

	second := prepare(t, 3, "follow", dir)
	for _, n := range second.Nodes {
		n.Option("follow-every", "1s")
	}
	for _, n := range second.Nodes {
		if err := n.Start(second); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range second.Nodes {
		holds(t, n, "films", documents-3)
	}
	for method, path := range map[string]string{"POST": "/indexes/films/documents", "DELETE": "/indexes/films", "PATCH": "/indexes/films/settings"} {
		status, body, err := second.Nodes[1].Do(t.Context(), method, path, json.RawMessage(`{"id":1}`))
		if err != nil || status != 503 || !strings.Contains(string(body), "standby") {
			t.Errorf("%s %s: %d %s %v", method, path, status, body, err)
		}
	}

	// The next snapshot comes, too, although the standby's leader dies.
	k.write("POST", "/indexes/films/documents", films(2000, 100))
	k.write("POST", "/indexes/late/documents", films(0, 10))
	// A loss that leaves no copy is another matter. While a node knows no other one yet, one
	// copy is all there can be.
	status, err := second.Nodes[0].Status(t.Context())
	for begun := time.Now(); err != nil || !copied(status); status, err = second.Nodes[0].Status(t.Context()) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("copies are missing: %+v, %v", status, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	var dead *clustertest.Node
	for _, n := range second.Nodes {
		if n.Name == status.Leader {
			dead = n
		}
	}
	if dead == nil {
		t.Fatalf("nobody leads: %+v", status)
	}
	task := k.write("POST", "/snapshots", nil)
	before := look(t, first.Nodes, task)
	dead.Kill()
	var left []*clustertest.Node
	for _, n := range second.Nodes {
		if n != dead {
			left = append(left, n)
			holds(t, n, "films", documents-3+100)
			holds(t, n, "late", 10)
		}
	}
	first.Close()
	out, err := exec.CommandContext(t.Context(), second.Binary, "promote", "--url", "http://"+left[0].HTTP, "--api-key", masterKey).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "accepts writes") {
		t.Fatalf("%s %v", out, err)
	}
	t.Logf("%s", out)
	equal(t, "the standby", before, look(t, left, task))
	kk := &client{t: t, nodes: left}
	kk.write("POST", "/indexes/films/documents", films(5000, 20))

	// Started again with the same command line it does not follow any more.
	for _, n := range left {
		n.Stop()
	}
	for _, n := range second.Nodes {
		if err := n.Start(second); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range second.Nodes {
		holds(t, n, "films", documents-3+120)
	}
	(&client{t: t, nodes: second.Nodes}).write("POST", "/indexes/films/documents", films(5100, 5))
}

// copied tells whether all members are known and every shard has its copies on them.
func copied(s *clustertest.Status) bool { return s.Healthy && len(s.Nodes) == 3 }
