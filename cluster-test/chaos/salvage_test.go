package chaos

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	clustertest "shoal/cluster-test"
)

// TestTheAdviceForDamagedSmallFilesSavesTheOnlySurvivor: all small files of the last
// folder are damaged by more than a bit. The line of the start says to run shoal recover,
// which refused the folder with the same line.
func TestTheAdviceForDamagedSmallFilesSavesTheOnlySurvivor(t *testing.T) {
	c := start(t, 3, 2)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 300))
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != 200 {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	left := c.Nodes[1]
	for _, n := range c.Nodes {
		n.Kill()
	}
	for _, n := range others(c, left) {
		wipe(t, n)
	}
	for _, name := range []string{"node-id", "cluster-id", "first-members", "FORMAT"} {
		path := filepath.Join(left.Folder(), name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			b[i] ^= 0x11
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if line := refusal(t, c, left); !strings.Contains(line, "if no other node is left, empty nothing and run `shoal recover --db-path "+left.Folder()+"`") {
		t.Fatal(line)
	}
	said, status := recovered(t, c, left, "", "--yes")
	if status != 1 {
		t.Errorf("without a name: status %d", status)
	}
	says(t, said, "it tells of n1, n2, n3", "nothing was changed", "run this again with --name")
	if said, status := recovered(t, c, left, "", "--yes", "--name=n7"); status != 1 {
		t.Errorf("with a name that nobody had: status %d\n%s", status, said)
	}
	said, status = recovered(t, c, left, "", "--yes", "--name="+left.Name)
	if status != 0 {
		t.Fatalf("status %d\n%s", status, said)
	}
	says(t, said, "Damaged, and written anew: FORMAT, node-id, first-members, cluster-id", "docs, version 1: all 2 shards, 300 documents")
	restart(t, c, left)
	allThere(t, []*clustertest.Node{left}, 300)
}
