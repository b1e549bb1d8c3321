package chaos

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// refused starts a node that must end by itself within limit, with status 1 and
// one line that contains each of the hints.
func refused(t *testing.T, c *clustertest.Cluster, n *clustertest.Node, hints ...string) {
	t.Helper()
	refusedWith(t, c, n, 1, hints...)
}

// refusedWith is refused with another exit status: 2 is a wrong command line.
func refusedWith(t *testing.T, c *clustertest.Cluster, n *clustertest.Node, want int, hints ...string) {
	t.Helper()
	before, began := n.LogSize(), time.Now()
	if err := n.Start(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	status, log, err := n.Ended(ctx)
	if err != nil {
		n.Kill()
		t.Errorf("%v: %s", err, n.Tail(8))
		return
	}
	log = log[before:]
	var lines []string
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "Error: ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if status != want || len(lines) != 1 || strings.Contains(log, "goroutine ") || strings.Contains(log, "panic") {
		t.Errorf("status %d, the log ends with\n%s", status, n.Tail(60))
		return
	}
	t.Logf("it ended after %s: %s", time.Since(began).Round(time.Millisecond), lines[0])
	for _, hint := range hints {
		if !strings.Contains(lines[0], hint) {
			t.Errorf("the line does not say %q: %s", hint, lines[0])
		}
	}
}

// single prepares one node that was never started.
func single(t *testing.T) (*clustertest.Cluster, *clustertest.Node) {
	t.Helper()
	c := rig.New(t, 1)
	return c, c.Nodes[0]
}

func TestATakenAddressIsNamed(t *testing.T) {
	for option, address := range map[string]func(*clustertest.Node) string{
		"http-addr":   func(n *clustertest.Node) string { return n.HTTP },
		"peer-addr":   func(n *clustertest.Node) string { return n.Peer },
		"gossip-addr": func(n *clustertest.Node) string { return n.Gossip },
	} {
		t.Run(option, func(t *testing.T) {
			c, n := single(t)
			l, err := net.Listen("tcp", address(n))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			refused(t, c, n, "--"+option, address(n), "in use", "choose another")
		})
	}
}

func TestAFolderThatCannotBeUsedIsRefused(t *testing.T) {
	folder := func(n *clustertest.Node, name string) string { return filepath.Join(n.Folder(), name) }
	put := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("a file", func(t *testing.T) {
		c, n := single(t)
		put(t, n.Folder(), "not a folder")
		refused(t, c, n, "--db-path", n.Folder())
	})
	t.Run("of another program", func(t *testing.T) {
		c, n := single(t)
		put(t, folder(n, "VERSION"), "1.50.0")
		refused(t, c, n, "--db-path", n.Folder(), "not Shoal's")
	})
	t.Run("of another version", func(t *testing.T) {
		c, n := single(t)
		put(t, folder(n, "FORMAT"), "shoal 999\n")
		refused(t, c, n, n.Folder(), "shoal 999")
	})
	t.Run("in use", func(t *testing.T) {
		c, n := single(t)
		rig.Start(t, c)
		other := rig.In(t, c.Dir, 1)
		refused(t, other, other.Nodes[0], n.Folder(), "in use")
	})
	// A folder that was in order: each of these destroys something in it.
	for name, harm := range map[string]func(t *testing.T, dir string){
		"without node id":  func(t *testing.T, dir string) { remove(t, dir, "node-id") },
		"a broken node id": func(t *testing.T, dir string) { put(t, filepath.Join(dir, "node-id"), "\x00\x01") },
		"without log":      func(t *testing.T, dir string) { remove(t, dir, "raft") },
		"without shards":   func(t *testing.T, dir string) { remove(t, dir, "shards") },
		"a broken log":     func(t *testing.T, dir string) { spoil(t, dir, "raft", ".db") },
		"a broken state":   func(t *testing.T, dir string) { spoil(t, filepath.Join(dir, "raft"), "state", "MANIFEST") },
		"broken shards":    func(t *testing.T, dir string) { spoil(t, dir, "shards", "MANIFEST") },
		"no marker":        func(t *testing.T, dir string) { remove(t, dir, "shards/store/marker.manifest.*") },
		"no state marker":  func(t *testing.T, dir string) { remove(t, dir, "raft/state/*/marker.manifest.*") },
	} {
		t.Run(name, func(t *testing.T) {
			c, n := single(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := c.Start(ctx); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				write(t, n, "POST", "/indexes/docs/documents", documents(i*4000, 4000))
			}
			n.Stop()
			restart(t, c, n) // what the store's log holds becomes tables
			n.Stop()
			harm(t, n.Folder())
			refused(t, c, n, n.Folder(), "damaged")
		})
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, name))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s is not in %s: %v", name, dir, err)
	}
	for _, path := range found {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// spoil overwrites the middle of every file below dir/sub whose name contains
// part.
func spoil(t *testing.T, dir, sub, part string) {
	t.Helper()
	hit := 0
	err := filepath.WalkDir(filepath.Join(dir, sub), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), part) {
			return err
		}
		hit++
		info, err := d.Info()
		if err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		for at := int64(0); at < info.Size(); at += 512 {
			if _, err := f.WriteAt([]byte("spoilt spoilt spoilt"), at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if hit == 0 {
		t.Fatalf("there is no %s in %s", part, sub)
	}
}
