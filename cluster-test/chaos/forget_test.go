package chaos

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/cluster-test/rig"
)

// TestHistoriesWhileNodesForgetAreExplained: again and again an older copy of a node's data
// folder is put back, while clients write and read. The node must not start, and says why;
// with an empty folder, as its line says, the cluster fills it. Nobody may lose or see
// anything for that.
func TestHistoriesWhileNodesForgetAreExplained(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(2))
	rig.Start(t, c)
	found := 0
	checkHistory(t, c, func(ctx context.Context, r *rand.Rand) {
		victim := c.Nodes[r.IntN(3)]
		older := filepath.Join(t.TempDir(), "older")
		victim.Kill()
		if err := os.CopyFS(older, os.DirFS(victim.Folder())); err != nil {
			t.Fatal(err)
		}
		restart(t, c, victim)
		via := others(c, victim)[0]
		whole(t, via, 3, 3)
		// Its task has succeeded once the node that is put back has applied it and said so.
		write(t, via, "POST", "/indexes/since/documents", documents(found, 1))
		victim.Kill()
		wipe(t, victim)
		if err := os.CopyFS(victim.Folder(), os.DirFS(older)); err != nil {
			t.Fatal(err)
		}
		if line := refusal(t, c, victim); !strings.Contains(line, "two histories") || !strings.Contains(line, "if this folder is that older copy, empty it and start this node") {
			t.Fatalf("%s says: %s", victim.Name, line)
		}
		found++
		wipe(t, victim)
		restart(t, c, victim)
		whole(t, via, 3, 3)
	})
	t.Logf("%d older copies were put back and found", found)
}
