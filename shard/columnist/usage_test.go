package columnist

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
)

func usageOn(t *testing.T, fs vfs.FS) *Columnist {
	t.Helper()
	if err := fs.MkdirAll("columns", 0o755); err != nil {
		t.Fatal(err)
	}
	return New(Options{Store: &store.Store{FS: fs}, Dir: "columns", Warm: 1 << 20, Log: slog.New(slog.DiscardHandler)})
}

// Beyond the room, the pieces that were used longest ago are forgotten.
func TestPiecesUsedLongestAgoAreForgotten(t *testing.T) {
	u := &usage{files: map[string]map[uint32]uint32{}}
	for u.period = 1; u.period <= 4; u.period++ {
		u.note("a", []uint32{0, 10 * u.period})
		u.note("b", []uint32{u.period})
	}
	sizes := map[string]func(uint32) int64{"a": func(uint32) int64 { return 100 }, "b": func(uint32) int64 { return 1000 }}
	for _, c := range []struct {
		room int64
		want string
	}{{4500, "[0 10 20 30 40] [1 2 3 4]"}, {4400, "[0 20 30 40] [1 2 3 4]"}, {2300, "[0 30 40] [3 4]"}, {1100, "[40] [4]"}, {0, "[] []"}} {
		u.trim(c.room, sizes)
		if got := fmt.Sprint(u.used("a"), u.used("b")); got != c.want {
			t.Errorf("within %d bytes: %s, want %s", c.room, got, c.want)
		}
	}
}

// The pieces are those of the next start. A file that no longer exists is forgotten. A
// damaged or missing list is an empty one.
func TestUsedPiecesAreFoundAfterARestart(t *testing.T) {
	fs := vfs.NewMem()
	c := usageOn(t, fs)
	if c.loadUsage(); len(c.usage.files) != 0 {
		t.Errorf("a new node has used %v", c.usage.files)
	}
	for _, name := range []string{"a.columns", "b.columns"} {
		f, err := fs.Create("columns/"+name, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		c.usage.note(name, []uint32{7, 3})
	}
	save := func(c *Columnist) {
		t.Helper()
		if err := c.collectUsage(); err != nil {
			t.Fatal(err)
		}
		if err := c.saveUsage(); err != nil {
			t.Fatal(err)
		}
	}
	save(c)
	next := usageOn(t, fs)
	if next.loadUsage(); !slices.Equal(next.usage.used("a.columns"), []uint32{3, 7}) || !slices.Equal(next.usage.used("b.columns"), []uint32{3, 7}) {
		t.Errorf("after a restart: %v", next.usage.files)
	}
	if err := fs.Remove("columns/a.columns"); err != nil {
		t.Fatal(err)
	}
	save(next)
	last := usageOn(t, fs)
	if last.loadUsage(); len(last.usage.files) != 1 || len(last.usage.used("b.columns")) != 2 {
		t.Errorf("after a file was removed: %v", last.usage.files)
	}
	f, err := fs.Create("columns/"+usageFile, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(`{"files":{"b.columns":[3,`)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if last.loadUsage(); len(last.usage.files) != 0 {
		t.Errorf("of a damaged list: %v", last.usage.files)
	}
}
