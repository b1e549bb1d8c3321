package folder

import (
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/node/formation"
	"shoal/node/machine"
)

// Files were renamed in a folder that was not synced. A node that had promised to begin
// with some members could promise another set after the power came back.
func TestANodeKnowsItsIDAfterAPowerFailure(t *testing.T) {
	disk := vfs.NewCrashableMem()
	f, err := Open(inMemory(disk), "/data")
	if err != nil {
		t.Fatal(err)
	}
	members := formation.Members{{Name: "one", ID: f.ID}}
	if err := f.First.Promise(members); err != nil {
		t.Fatal(err)
	}
	if err := f.SetClusterID(clusterOfTests); err != nil {
		t.Fatal(err)
	}
	again, err := Open(inMemory(disk.CrashClone(vfs.CrashCloneCfg{})), "/data")
	if err != nil {
		t.Fatal(err)
	}
	if again.ID != f.ID {
		t.Errorf("it was %s and is %s", f.ID, again.ID)
	}
	if got := again.First.Members(); !got.Equal(members) {
		t.Errorf("it promised %v and remembers %v", members, got)
	}
	if id, err := again.ClusterID(); err != nil || id != clusterOfTests {
		t.Errorf("it remembers the cluster %q, %v", id, err)
	}
}

// inMemory is a disk that a test can crash.
func inMemory(disk *vfs.MemFS) *machine.Files {
	return &machine.Files{
		FS:      disk,
		Own:     func(file string) (io.Closer, error) { return disk.Lock(file) },
		Private: func(string, bool) error { return nil },
		Space:   func(string) (uint64, uint64, error) { return 1 << 40, 1 << 40, nil },
	}
}
