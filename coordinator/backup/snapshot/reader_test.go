package snapshot

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/wire"
)

// Streams of any length are read back as written.
func TestStreamsOfAnyLengthAreReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	c := must(newContainer(path, "x", time.Now()))
	want := map[string]string{}
	for i, n := range []int{0, 1, partBytes - 1, partBytes, partBytes + 1, 3*partBytes + 7} {
		name := "s/" + number(i)
		want[name] = strings.Repeat("abcdefg", n/7+1)[:n]
		if err := c.Stream(name, "", func(out io.Writer) error {
			_, err := io.WriteString(out, want[name])
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := verify(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	seen := 0
	must(walk(t.Context(), path, func(name string, in io.Reader) error {
		seen++
		if got := string(must(io.ReadAll(in))); got != want[name] {
			t.Errorf("%s: %d bytes of %d", name, len(got), len(want[name]))
		}
		return nil
	}))
	if seen != len(want) {
		t.Errorf("%d streams of %d", seen, len(want))
	}
	if info := must(os.Stat(path)); info.Mode().Perm() != 0o400 {
		t.Errorf("mode %v", info.Mode())
	}
	if left := must(filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "s")
	c := must(newContainer(path, "x", time.Now()))
	if err := c.Stream("tasks", "", func(out io.Writer) error { return writeRecord(out, &wire.Task{UID: 1}) }); err != nil {
		f.Fatal(err)
	}
	if err := c.Finish(); err != nil {
		f.Fatal(err)
	}
	f.Add(must(os.ReadFile(path)))
	var one bytes.Buffer
	if err := writeRecord(&one, &wire.Task{UID: 1, Kind: "x"}); err != nil {
		f.Fatal(err)
	}
	f.Add(one.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := walkStream(t.Context(), bytes.NewReader(data), func(_ string, in io.Reader) error {
			return records(in, func(*wire.Task) error { return nil })
		})
		if err != nil && err.Error() == "" {
			t.Error("an error without text")
		}
		if err := records(bytes.NewReader(data), func(*wire.Task) error { return nil }); err != nil && err.Error() == "" {
			t.Error("an error without text")
		}
	})
}
