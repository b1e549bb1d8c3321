package machine

import (
	"errors"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Ordered returns the file system for stores of pebble. A store tells by a file whose name
// begins with "marker." which of its manifests counts. Pebble makes the new marker, removes the
// old one, and then syncs the folder. If the power fails between, a file system that stores
// names in any order may keep the marker and lose its manifest, or lose both markers. So here
// the folder is also synced before a marker is made or removed.
func (f *Files) Ordered() vfs.FS { return ordered{f.FS} }

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
