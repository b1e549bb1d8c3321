package chaos

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// TestACopiedFolderDoesNotRunBesideItsOriginal: two processes with one id would vote twice
// in a term, for two leaders. Whichever of the two comes second ends with one line.
func TestACopiedFolderDoesNotRunBesideItsOriginal(t *testing.T) {
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
	whole(t, c.Nodes[0], 3, 3)
	original := others(c, leader(t, c))[0]
	via := others(c, original)[0]
	original.Kill()
	double, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	copyFolder(t, original, double)
	double.Option("name", original.Name)
	restart(t, c, original)
	whole(t, via, 3, 3)

	if line := refusal(t, c, double); !strings.Contains(line, "already runs at "+original.Peer) {
		t.Errorf("beside its original the copy says: %s", line)
	}
	// Without its original it is a node that has moved, and the original is the copy then. The
	// copy is made anew: the original may have applied entries since, which it has told.
	original.Kill()
	copyFolder(t, original, double)
	restart(t, c, double)
	eventually(t, 30*time.Second, "the copy to serve in the place of its original", func(ctx context.Context) bool {
		s, err := via.Status(ctx)
		return err == nil && s.Healthy && len(s.Nodes) == 3
	})
	if line := refusal(t, c, original); !strings.Contains(line, "already runs at "+double.Peer) {
		t.Errorf("beside its copy the original says: %s", line)
	}
	write(t, via, "POST", "/indexes/docs/documents", documents(10, 10))
}

// copyFolder makes the data folder of one stopped node that of another one.
func copyFolder(t *testing.T, from, to *clustertest.Node) {
	t.Helper()
	if err := os.RemoveAll(to.Folder()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to.Folder(), os.DirFS(from.Folder())); err != nil {
		t.Fatal(err)
	}
}
