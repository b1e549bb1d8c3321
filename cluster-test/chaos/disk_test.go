package chaos

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

// small gives a node a data folder on a file system of its own, of some megabytes.
func small(t *testing.T, n *clustertest.Node, size string) {
	t.Helper()
	if err := os.MkdirAll(n.Folder(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", n.Folder(), "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("needs the right to mount a file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(n.Folder(), 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}

// noise makes documents of a megabyte that cannot be compressed by much.
func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{})
	var b []byte
	text := make([]byte, 1<<19)
	for id := range n {
		_, _ = r.Read(text) // never fails
		b = fmt.Appendf(b, `{"id":%d,"text":"%x"}`+"\n", id, text)
	}
	return b
}

func TestAFullDiskIsToldAndLosesNothing(t *testing.T) {
	c, n := single(t)
	small(t, n, "48m")
	t.Cleanup(c.Close) // before the file system is taken away
	n.Option("db-path", filepath.Join(n.Folder(), "db"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	write(t, n, "POST", "/indexes/docs/documents", documents(0, 100))

	// An upload that does not fit is refused and leaves nothing behind.
	for range 2 {
		a, err := n.Ask(ctx, "POST", "/indexes/docs/documents", noise(80))
		if err != nil || a.Status != http.StatusUnprocessableEntity || !bytes.Contains(a.Body, []byte(`"no_space_left_on_device"`)) {
			t.Fatalf("an upload without room: %+v %.300s %v", a, a.Body, err)
		}
	}
	write(t, n, "POST", "/indexes/docs/documents", documents(100, 100))

	// With no room at all the node serves no more; it goes on when there is some again.
	ballast := filepath.Join(n.Folder(), "ballast")
	if err := os.WriteFile(ballast, make([]byte, 48<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	eventually(t, 30*time.Second, "the node to notice", func(ctx context.Context) bool {
		one, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := n.Enqueue(one, "POST", "/indexes/docs/documents", documents(500, 10))
		return err != nil
	})
	eventually(t, 20*time.Second, "the node to say so", func(context.Context) bool { return told(n, "goes on by itself when there is room") })
	if !told(n, "is full") || told(n, "goroutine ") {
		t.Errorf("the log ends with %s", n.Tail(20))
	}
	t.Log(n.LastLog())
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := n.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	write(t, n, "POST", "/indexes/docs/documents", documents(200, 100))
	found, err := ids(ctx, n, "docs")
	if err != nil {
		t.Fatal(err)
	}
	for id := range 300 {
		if !found[id] {
			t.Fatalf("document %d was acknowledged and is gone", id)
		}
	}
}
