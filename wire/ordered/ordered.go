package ordered

import (
	"errors"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS returns the file system for a store of pebble on top of another one. The folder of a marker
// is synced before the marker is made or removed.
func FS(under vfs.FS) vfs.FS { return ordered{under} }

type ordered struct{ vfs.FS }

// Create implements vfs.FS.
func (o ordered) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := o.settle(name); err != nil {
		return nil, err
	}
	return o.FS.Create(name, category)
}

// Remove implements vfs.FS.
func (o ordered) Remove(name string) error {
	if err := o.settle(name); err != nil {
		return err
	}
	return o.FS.Remove(name)
}

// Unwrap implements vfs.FS.
func (o ordered) Unwrap() vfs.FS { return o.FS }

// settle syncs the folder of a marker.
func (o ordered) settle(name string) error {
	if !strings.HasPrefix(o.PathBase(name), "marker.") {
		return nil
	}
	folder, err := o.OpenDir(o.PathDir(name))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
