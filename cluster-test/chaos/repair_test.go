package chaos

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// files lists what a node has in a folder, with a suffix.
func files(t *testing.T, n *clustertest.Node, sub, suffix string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(n.Folder(), sub), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, suffix) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("files of %s that end with %s: %v, %v", n.Name, suffix, paths, err)
	}
	return paths
}

// flipBit changes one bit of a file; at 0 it is in the middle.
func flipBit(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if at == 0 {
		at = info.Size() / 2
	}
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 4
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

// searching asks a node again and again until stop is called, which returns how many
// searches there were and the first one that failed.
func searching(t *testing.T, n *clustertest.Node, want int) (stop func() (asked int, failed string)) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	asked, failed := 0, ""
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			a, err := n.Ask(ctx, "POST", "/indexes/docs/search", map[string]any{"q": "document", "limit": want, "attributesToRetrieve": []string{"id"}})
			if ctx.Err() != nil {
				return
			}
			asked++
			switch {
			case failed != "":
			case err != nil:
				failed = err.Error()
			case a.Status != http.StatusOK || bytes.Count(a.Body, []byte(`{"id":`)) != want:
				failed = a.Header.Get("Date") + " " + string(a.Body[:min(len(a.Body), 300)])
			}
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return func() (int, string) { cancel(); <-done; return asked, failed }
}

// Row 20 of the failure matrix: a bit flips in the tables of a running node. The scrub
// finds it, though nobody reads it, the shard is fetched from another node, and no search
// on that node fails meanwhile.
func TestRow20AScrubFindsAFlippedBitAndACopyMendsIt(t *testing.T) {
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 3000))
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	hit := c.Nodes[1]
	hit.Stop()
	hit.Option("scrub-interval", "500ms")
	restart(t, c, hit) // what the store's log holds becomes tables
	whole(t, c.Nodes[0], 3, 3)
	stop := searching(t, hit, 200)
	begin := time.Now()
	for _, path := range files(t, hit, "shards/store", ".sst") {
		flipBit(t, path, 0)
	}
	eventually(t, 30*time.Second, "the damage to be found and mended", func(context.Context) bool {
		return strings.Contains(hit.Tail(1000), "damaged shard was replaced by a copy")
	})
	t.Logf("mended %s after the bit flipped", time.Since(begin).Round(time.Millisecond))
	whole(t, c.Nodes[0], 3, 3)
	asked, failed := stop()
	t.Logf("%d searches", asked)
	if failed != "" || asked == 0 {
		t.Errorf("of %d searches on the node one failed: %s", asked, failed)
	}
	eventually(t, 10*time.Second, "status to tell of no damage", func(ctx context.Context) bool {
		a, err := c.Nodes[0].Ask(ctx, "GET", "/cluster/status", nil)
		return err == nil && bytes.Contains(a.Body, []byte(`"damage":[]`))
	})
	allThere(t, c.Nodes, 3000)
}

// Row 20, all tables of the shards or the log of their store: the node starts, other
// nodes answer for it, and it is whole again without anybody's help.
func TestRow20ADamagedStoreIsFilledFromOtherNodes(t *testing.T) {
	c := start(t, 3, 1)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 3000))
	if status, b, err := c.Nodes[0].Do(t.Context(), "PATCH", "/cluster/indexes/docs", map[string]any{"replicas": 3}); err != nil || status != http.StatusOK {
		t.Fatalf("three copies: %d %s %v", status, b, err)
	}
	whole(t, c.Nodes[0], 3, 3)
	via, hit, written := c.Nodes[0], c.Nodes[1], 3000
	for _, harm := range []struct{ what, part, line string }{
		{"tables", ".sst", "damaged shard was replaced by a copy"},
		{"manifest", "MANIFEST", "set aside"},
	} {
		hit.Stop()
		restart(t, c, hit)
		hit.Stop()
		spoil(t, hit.Folder(), "shards/store", harm.part)
		write(t, via, "POST", "/indexes/docs/documents", documents(written, 50))
		written += 50
		restart(t, c, hit)
		within(t, 20*time.Second, harm.what, func(context.Context) { whole(t, via, 3, 3) })
		if !strings.Contains(hit.Tail(1000), harm.line) {
			t.Errorf("%s: the log of the node says nothing of it: %s", harm.what, hit.Tail(20))
		}
		if _, err := os.Stat(filepath.Join(hit.Folder(), "shards", "store.damaged")); err == nil {
			t.Errorf("%s: the damaged store is left", harm.what)
		}
	}
	allThere(t, c.Nodes, written)
}

// Row 20 without another copy: the answer that needs what was lost says so, the others
// come.
func TestRow20DamageOfTheOnlyCopyIsToldAndTheRestIsServed(t *testing.T) {
	c := start(t, 1, 1)
	n := c.Nodes[0]
	write(t, n, "POST", "/indexes/docs/documents", documents(0, 20_000))
	write(t, n, "POST", "/indexes/other/documents", documents(0, 10))
	n.Stop()
	restart(t, c, n)
	n.Stop()
	largest, size := "", int64(0)
	for _, path := range files(t, n, "shards/store", ".sst") {
		if info, err := os.Stat(path); err == nil && info.Size() > size {
			largest, size = path, info.Size()
		}
	}
	flipBit(t, largest, 2000) // documents lie at the beginning
	n.Option("scrub-interval", "500ms")
	restart(t, c, n)
	eventually(t, 20*time.Second, "status to tell of the damage", func(ctx context.Context) bool {
		a, err := n.Ask(ctx, "GET", "/cluster/status", nil)
		return err == nil && bytes.Contains(a.Body, []byte("no other node has a copy"))
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if a, err := n.Ask(ctx, "POST", "/indexes/other/search", map[string]any{"q": "document"}); err != nil || a.Status != http.StatusOK {
		t.Errorf("an index that is sound: %+v %v", a, err)
	}
	sound, told := 0, 0
	for from := 0; from < 20_000; from += 500 {
		a, err := n.Ask(ctx, "POST", "/indexes/docs/documents/fetch", map[string]any{"offset": from, "limit": 500})
		switch {
		case err != nil:
			t.Fatal(err)
		case a.Status == http.StatusOK:
			sound++
		case a.Status == http.StatusServiceUnavailable && bytes.Contains(a.Body, []byte("Restore it from a snapshot or dump")):
			told++
		default:
			t.Fatalf("documents from %d on: %d %s", from, a.Status, a.Body)
		}
	}
	t.Logf("%d pages of documents can be read, %d are told to be damaged", sound, told)
	if sound < 30 || told == 0 {
		t.Error("too few can be read, or none is told to be damaged")
	}
	n.Stop()
	restart(t, c, n) // it starts again, and goes on
}
