package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"shoal/coordinator/backup/snapshot"
)

// A snapshot file in a folder named snapshots was taken for a part of a folder of backups,
// and refused as damaged.
func TestASnapshotFileMayLieInAFolderCalledSnapshots(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshots", "n1.snapshot")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("some file"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := new(Options).Find(t.Context(), path)
	if err != nil || found != snapshot.File(path) {
		t.Errorf("%v %v", found, err)
	}
	// Folders without a snapshot have none.
	for _, text := range []string{dir, filepath.Join(dir, "snapshots", "20260101T000000.000Z-c")} {
		if found, err := new(Options).Find(t.Context(), text); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v %v", text, found, err)
		}
	}
}
