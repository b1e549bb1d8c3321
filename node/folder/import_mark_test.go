package folder

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The unfinished file of the mark was once taken for a database, and the same command was
// refused afterwards.
func TestAKillWhileTheImportIsMarkedLeavesAnUnfinishedImport(t *testing.T) {
	for _, c := range []struct {
		entries []string
		want    bool
	}{
		{nil, false}, {[]string{}, false},
		{[]string{"import"}, true}, {[]string{"import", "FORMAT", "raft"}, true},
		{[]string{".import.new"}, true},
		{[]string{".import.new", "FORMAT", "raft"}, false}, // of long ago: a database is here
		{[]string{"FORMAT"}, false}, {[]string{"notes"}, false},
	} {
		disk := vfs.NewMem()
		files := inMemory(disk)
		if c.entries != nil {
			if err := files.MkdirAll("/data", 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range c.entries {
			if err := files.WriteFile("/data/"+name, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := MarkedImport(files, "/data"); got != c.want || err != nil {
			t.Errorf("%q: %v, %v; want %v", c.entries, got, err, c.want)
		}
	}
}
