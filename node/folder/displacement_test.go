package folder

import (
	"os"
	"path/filepath"
	"testing"

	"shoal/node/machine"
)

// A node whose data folder was deleted went on to acknowledge writes, and nothing said that
// they would be lost with the process.
func TestARemovedOrReplacedFolderIsNoticed(t *testing.T) {
	files := machine.Disk()
	path := filepath.Join(t.TempDir(), "data")
	f, err := Open(files, path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Displaced() {
		t.Error("a folder in its place is called displaced")
	}
	aside := path + "-aside"
	if err := os.Rename(path, aside); err != nil {
		t.Fatal(err)
	}
	if !f.Displaced() {
		t.Error("the folder was moved away, and nothing tells")
	}
	other, err := Open(files, path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if !f.Displaced() || other.Displaced() {
		t.Errorf("another folder took its place: displaced %v, the other one %v", f.Displaced(), other.Displaced())
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if !other.Displaced() {
		t.Error("the folder was removed, and nothing tells")
	}
}
