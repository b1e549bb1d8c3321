package chaos

import (
	"errors"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// verify runs shoal verify on the folders of nodes.
func verify(t *testing.T, c *clustertest.Cluster, nodes ...*clustertest.Node) (status int, out string) {
	t.Helper()
	args := []string{"verify"}
	for _, n := range nodes {
		args = append(args, n.Folder())
	}
	b, err := exec.CommandContext(t.Context(), c.Binary, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		status = exit.ExitCode()
	}
	return status, string(b)
}

func TestVerifyReadsDataFoldersAndTellsDamage(t *testing.T) {
	t.Parallel()
	c := start(t, 3, 2)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 3000))
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", []byte(`{"id":2999,"title":"number of an entry"}`))
	for id := range 6 {
		write(t, c.Nodes[id%3], "POST", "/indexes/docs/documents", documents(id*100, 5))
	}
	if status, out := verify(t, c, c.Nodes[0]); status != 1 || !strings.Contains(out, "is in use: stop the node") {
		t.Errorf("a node that runs: %d %s", status, out)
	}
	for _, n := range c.Nodes {
		n.Stop()
	}
	rig.Start(t, c) // what the stores' logs hold becomes tables
	whole(t, c.Nodes[0], 3, 3)
	for _, n := range c.Nodes {
		n.Stop()
	}
	status, out := verify(t, c, c.Nodes...)
	if status != 0 || strings.Count(out, "of 2 shards") != 3 || !strings.Contains(out, "everything is as it was written") {
		t.Errorf("three sound folders: %d %s", status, out)
	}
	t.Log(out)
	hit := c.Nodes[1]
	flipBit(t, files(t, hit, "shards/store", ".sst")[0], 0)
	if status, out := verify(t, c, c.Nodes...); status != 1 || !strings.Contains(out, "DAMAGED "+hit.Folder()+": table file") || strings.Contains(out, "DIFFERS") {
		t.Errorf("a table with one bit that flipped: %d %s", status, out)
	}
	alterEntry(t, c.Nodes[2])
	if status, out := verify(t, c, c.Nodes[2]); status != 1 || !strings.Contains(out, "DAMAGED "+c.Nodes[2].Folder()+": entry ") {
		t.Errorf("an entry of the log that is another one: %d %s", status, out)
	}
	spoil(t, c.Nodes[2].Folder(), "raft", "raft.db")
	if status, out := verify(t, c, c.Nodes[2]); status != 1 || !strings.Contains(out, "DAMAGED "+c.Nodes[2].Folder()+": the log") {
		t.Errorf("a damaged log: %d %s", status, out)
	}
	// Nothing was changed: the one mends itself, the other one says what to do.
	begin(t, c, c.Nodes[0])
	restart(t, c, hit)
	refused(t, c, c.Nodes[2], c.Nodes[2].Folder(), "damaged", "empty the folder", "shoal recover")
	wipe(t, c.Nodes[2])
	restart(t, c, c.Nodes[2])
	whole(t, c.Nodes[0], 3, 3)
	allThere(t, c.Nodes, 3000)
}

// TestRow20ARunningClusterIsVerified: nodes that run read all that they have, say what is
// damaged, and mend it.
func TestRow20ARunningClusterIsVerified(t *testing.T) {
	c := start(t, 3, 2)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 3000))
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	for _, n := range c.Nodes {
		n.Stop()
	}
	rig.Start(t, c) // what the stores' logs hold becomes tables
	whole(t, c.Nodes[0], 3, 3)
	running := func(args ...string) (int, string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), c.Binary, append([]string{"verify", "--url=http://" + c.Nodes[0].HTTP}, args...)...)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(out)
	}
	status, out := running()
	if status != 0 || strings.Count(out, "of 2 shards") != 3 || !strings.Contains(out, "everything is as it was written") {
		t.Fatalf("three sound nodes: %d %s", status, out)
	}
	t.Log(out)
	hit := c.Nodes[1]
	flipBit(t, files(t, hit, "shards/store", ".sst")[0], 0)
	if status, out := running("--node=" + hit.Name); status != 1 || !strings.Contains(out, "DAMAGED "+hit.Name+": ") || strings.Contains(out, c.Nodes[0].Name+":") {
		t.Fatalf("a table with one bit that flipped: %d %s", status, out)
	}
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if status, out = running(); status == 0 {
			break
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("it is not mended: %d %s", status, out)
		}
	}
	allThere(t, c.Nodes, 3000)
}
