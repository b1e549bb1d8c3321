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
	"shoal/cluster-test/rig"
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

// A unit file has one command line for every start: the second one was refused.
func TestTheSameCommandImportsADumpOnce(t *testing.T) {
	source := start(t, 1, "", "")
	(&client{t: t, nodes: source.Nodes}).write("POST", "/indexes/films/documents", films(0, 50))
	written, _ := dumped(t, source)
	source.Close()
	content, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.dump")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, nodes := range []int{1, 3} {
		c := start(t, nodes, "import-dump", file)
		k := &client{t: t, nodes: c.Nodes}
		k.write("POST", "/indexes/films/documents", films(50, 10))
		again := func(when string) {
			t.Helper()
			for _, n := range c.Nodes {
				n.Stop()
			}
			rig.Start(t, c)
			if got := string(k.ask("POST", "/indexes/films/search", `{"page":1,"hitsPerPage":0}`)); !strings.Contains(got, `"totalHits":60,`) {
				t.Errorf("%d nodes, %s: %s", nodes, when, got)
			}
		}
		again("the same command")
		if err := os.Rename(file, file+".away"); err != nil {
			t.Fatal(err)
		}
		again("the dump has gone")
		if err := os.Rename(file+".away", file); err != nil {
			t.Fatal(err)
		}
		// Another dump under its name is not taken for it.
		n := c.Nodes[0]
		n.Stop()
		if err := os.WriteFile(file, append(content, 0), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := n.Start(c); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		status, log, err := n.Ended(ctx)
		cancel()
		if err != nil || status == 0 || !strings.Contains(log, "database already exists at") {
			t.Errorf("%d nodes, another dump: status %d, %v: %s", nodes, status, err, log)
		}
		c.Close()
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
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
