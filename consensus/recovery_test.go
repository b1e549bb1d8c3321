package consensus

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"shoal/wire"
)

// The name of a young cluster may be in the log only. Recovery once said that the cluster
// had no name yet.
func TestRow22ARecoveryNamesAClusterThatOnlyTheLogNames(t *testing.T) {
	dir := t.TempDir()
	g := openDisk(t, dir)
	awaitLeading(t, g)
	ctx := within(t, 10*time.Second)
	if _, err := g.Propose(ctx, &wire.Command{Update: &wire.Update{Changes: []wire.Change{
		{PutNode: &wire.Node{ID: "single", Name: "n1"}},
	}}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a name", func() bool { return g.Catalog().ClusterID() != "" })
	name := g.Catalog().ClusterID()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "state")); err != nil { // nothing of it had reached the disk
		t.Fatal(err)
	}
	done, err := Recover(&RecoverConfig{
		Dir: dir, NodeID: "single", Cluster: "the next", At: 1, Logger: testLog(), OnFatal: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if done.From != name {
		t.Errorf("it was cluster %q, and recovery says %q", name, done.From)
	}
}
