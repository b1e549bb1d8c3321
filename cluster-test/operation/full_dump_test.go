package operation

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shoal/cluster-test/rig"
)

// The disk of the dumps is full before the dump is written. The dump fails and says why,
// nothing half-written stays, the cluster serves, and with room the next dump succeeds.
func TestADiskThatIsFullDuringADumpFailsTheDumpOnly(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1))
	room := t.TempDir()
	if err := syscall.Mount("tmpfs", room, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("mounting a file system needs more rights")
	}
	t.Cleanup(func() {
		c.Close()
		if err := syscall.Unmount(room, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	for _, n := range c.Nodes {
		n.Option("dump-dir", room)
	}
	rig.Start(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	n := c.Nodes[0]
	text := make([]byte, 40<<10)
	var films []map[string]any
	for i := range 100 { // 4 MB that cannot be packed to less than 2 MB
		if _, err := rand.Read(text); err != nil {
			t.Fatal(err)
		}
		films = append(films, map[string]any{"id": i, "text": hex.EncodeToString(text)})
	}
	must(t, ctx, n, "POST", "/indexes/films/documents", films)

	uid, err := n.Enqueue(ctx, "POST", "/dumps", nil)
	if err != nil {
		t.Fatal(err)
	}
	if status, err := n.Wait(ctx, uid); status != "failed" {
		t.Fatalf("the dump on a full disk has %s: %v", status, err)
	}
	var task struct {
		Error struct{ Message, Code string }
	}
	if _, b, err := n.Do(ctx, "GET", "/tasks?limit=1", nil); err != nil {
		t.Fatal(err)
	} else {
		var page struct{ Results []json.RawMessage }
		if err := errors.Join(json.Unmarshal(b, &page), json.Unmarshal(page.Results[0], &task)); err != nil {
			t.Fatal(err)
		}
	}
	if t.Log(task.Error.Code, task.Error.Message); task.Error.Code != "no_space_left_on_device" || !strings.Contains(task.Error.Message, "no space left on device") {
		t.Errorf("the task says %s: %q", task.Error.Code, task.Error.Message)
	}
	left, err := os.ReadDir(room)
	if err != nil || len(left) != 0 {
		t.Errorf("after a dump that failed %v is left, %v", left, err)
	}
	if status, b, err := n.Do(ctx, "POST", "/indexes/films/search", map[string]any{"limit": 1}); err != nil || status != http.StatusOK {
		t.Errorf("a search afterwards: %d %s %v", status, b, err)
	}
	must(t, ctx, n, "DELETE", "/indexes/films/documents", nil)
	must(t, ctx, n, "POST", "/dumps", nil)
	if dumps, err := filepath.Glob(filepath.Join(room, "*.dump")); err != nil || len(dumps) != 1 {
		t.Errorf("with room there are the dumps %v, %v", dumps, err)
	}
}
