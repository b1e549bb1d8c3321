package machine

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// rootOf makes a sync of the root folder return an error.
type rootOf struct {
	vfs.FS
	answer error
}

func (r rootOf) OpenDir(name string) (vfs.File, error) {
	f, err := r.FS.OpenDir(name)
	if err != nil || name != "/" {
		return f, err
	}
	return unsynced{f, r.answer}, nil
}

type unsynced struct {
	vfs.File
	answer error
}

func (u unsynced) Sync() error { return u.answer }

// Squashfs and similar file systems answer EINVAL to a sync of a folder. A node whose data
// folder was mounted there did not start.
func TestADataFolderMountedIntoAReadOnlyRootCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		answer  error
		refused bool
	}{
		{nil, false}, {syscall.EINVAL, false}, {syscall.EROFS, false}, {syscall.ENOTSUP, false}, {fs.ErrPermission, false}, {syscall.EIO, true},
	} {
		answer := c.answer
		if answer != nil {
			answer = &fs.PathError{Op: "sync", Path: "/", Err: c.answer}
		}
		files := &Files{FS: rootOf{vfs.NewMem(), answer}}
		if err := files.MakeDir("/data"); (err != nil) != c.refused || c.refused && !errors.Is(err, c.answer) {
			t.Errorf("the root answers %v: %v", c.answer, err)
		}
	}
}
