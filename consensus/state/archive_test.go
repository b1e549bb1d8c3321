package state

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func archived(t testing.TB, files map[string]string) []byte {
	t.Helper()
	fs := vfs.NewMem()
	if err := fs.MkdirAll("/d", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := WriteFile(fs, "/d/"+name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	a, err := OpenArchive(fs, "/d", 42)
	if err != nil {
		t.Fatal(err)
	}
	// The folder may be removed while it is read.
	if err := fs.RemoveAll("/d"); err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(a)
	if err != nil || int64(len(body)) != a.Size {
		t.Fatalf("%d bytes instead of %d: %v", len(body), a.Size, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return body
}

func TestArchive(t *testing.T) {
	files := map[string]string{"MANIFEST-1": "m", "000004.sst": "some bytes", "empty": ""}
	body := archived(t, files)
	fs := vfs.NewMem()
	applied, err := Unpack(fs, "/out", bytes.NewReader(body))
	if err != nil || applied != 42 {
		t.Fatal(applied, err)
	}
	names, err := fs.List("/out")
	if err != nil || len(names) != len(files) {
		t.Fatal(names, err)
	}
	for name, want := range files {
		f, err := fs.Open("/out/" + name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	for i := range body {
		broken := bytes.Clone(body)
		broken[i] ^= 1
		if _, err := Unpack(vfs.NewMem(), "/out", bytes.NewReader(broken)); err == nil {
			t.Fatalf("a flipped bit in byte %d went unnoticed", i)
		}
		if _, err := Unpack(vfs.NewMem(), "/out", bytes.NewReader(body[:i])); !errors.Is(err, ErrArchive) {
			t.Fatalf("cut at byte %d: %v", i, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(archived(f, map[string]string{"a": "1", "b": ""}))
	f.Add([]byte(ArchiveMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		fs := vfs.NewMem()
		if _, err := Unpack(fs, "/in/out", bytes.NewReader(data)); err != nil {
			return
		}
		names, err := fs.List("/in")
		if err != nil || len(names) != 1 {
			t.Errorf("files outside of the folder: %v, %v", names, err)
		}
	})
}
