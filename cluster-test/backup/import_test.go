package backup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// killed starts the nodes of a cluster that reads a dump or snapshot and kills them a
// while after the import was begun. It tells whether that was before its end.
func killed(t *testing.T, c *clustertest.Cluster, mark string, after time.Duration) bool {
	t.Helper()
	for _, n := range c.Nodes {
		if err := n.Start(c); err != nil {
			t.Fatal(err)
		}
	}
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(mark); err == nil {
			break
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatal("no import was begun")
		}
	}
	time.Sleep(after) // what is asked is what a kill at any moment does
	for _, n := range c.Nodes {
		n.Kill()
	}
	_, err := os.Stat(mark)
	return err == nil
}

// kill -9 during an import: the same command was refused afterwards, or answered 503
// for ever.
func TestAKillDuringAnImportIsMendedByTheSameCommand(t *testing.T) {
	source := start(t, 1, "", "")
	k := &client{t: t, nodes: source.Nodes}
	for i := range 6 {
		k.write("POST", fmt.Sprintf("/indexes/films%d/documents", i), films(1, 3000))
	}
	file, _ := dumped(t, source)
	k.write("POST", "/snapshots", nil)
	found, err := filepath.Glob(filepath.Join(source.Dir, "snapshots", "*.snapshot"))
	if err != nil || len(found) != 1 {
		t.Fatalf("snapshots %q, %v", found, err)
	}
	source.Close()

	for option, from := range map[string]string{"import-dump": file, "import-snapshot": found[0]} {
		for _, nodes := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s on %d", option, nodes), func(t *testing.T) {
				c := prepare(t, nodes, option, from)
				mark := filepath.Join(c.Nodes[0].Folder(), "import")
				kills := 0
				for after := 5 * time.Millisecond; after < time.Second && killed(t, c, mark, after); after *= 3 {
					kills++
				}
				if kills == 0 {
					t.Fatal("no kill came during the import")
				}
				t.Logf("%d kills during the import", kills)
				if _, err := os.Stat(mark); err != nil {
					// The last one came after its end: as ever, nothing is read over a database.
					for _, n := range c.Nodes {
						n.Option("ignore-"+strings.TrimPrefix(option, "import-")+"-if-db-exists", "true")
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := c.Start(ctx); err != nil {
					t.Fatal(err)
				}
				k := &client{t: t, nodes: c.Nodes}
				for i := range 6 {
					got := string(k.ask("POST", fmt.Sprintf("/indexes/films%d/search", i), `{"page":1,"hitsPerPage":0}`))
					if !strings.Contains(got, `"totalHits":3000,`) {
						t.Errorf("index %d after the kills: %s", i, got)
					}
				}
				k.write("POST", "/indexes/films0/documents", films(5000, 20))
				eventuallyGone(t, mark)
			})
		}
	}
}

// eventuallyGone waits until a file is removed.
func eventuallyGone(t *testing.T, path string) {
	t.Helper()
	for begun := time.Now(); ; {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("%s stays", path)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
