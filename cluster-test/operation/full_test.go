package operation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

// TestADiskThatFillsIsToldEverywhereWithinTwoSeconds: another node than the one whose disk
// fills is asked.
func TestADiskThatFillsIsToldEverywhereWithinTwoSeconds(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1))
	for _, n := range c.Nodes {
		if err := n.Watch(); err != nil {
			t.Fatal(err)
		}
	}
	filling := c.Nodes[2]
	if !small(t, filling) {
		t.Skip("mounting a file system needs more rights")
	}
	t.Cleanup(c.Close) // before the file system is taken away
	filling.Option("db-path", filepath.Join(filling.Folder(), "db"))
	rig.Start(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	everyPlace(t, ctx, c, c.Nodes[0], "before", "serving", "OK - serving")

	full(t, filling.Folder())
	everyPlace(t, ctx, c, c.Nodes[0], "a disk nearly full", "the disk of node n3 has 7.", "WARNING - serving; the disk of node n3 has 7.")
	if err := fill(filepath.Join(filling.Folder(), "more")); err != nil {
		t.Fatal(err)
	}
	everyPlace(t, ctx, c, c.Nodes[0], "a full disk", "the disk of node n3 has 0.0 % left", "the disk of node n3 has 0.0 % left")
	for _, name := range []string{"ballast", "more"} {
		if err := os.Remove(filepath.Join(filling.Folder(), name)); err != nil {
			t.Fatal(err)
		}
	}
	everyPlace(t, ctx, c, c.Nodes[0], "room again", `serving`, "OK - serving")
}

// fill writes a file until the disk is full.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	page := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(page)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
