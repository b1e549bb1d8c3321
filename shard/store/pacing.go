package store

import "github.com/cockroachdb/pebble/v2/vfs"

// pacedFS is a file system on which the store's own work in the background, which
// rewrites tables and writes out what is in memory, goes at a pace.
type pacedFS struct {
	vfs.FS
	pacer func() (pace func())
}

// paced are the files that such work writes.
var paced = map[vfs.DiskWriteCategory]bool{"pebble-compaction": true, "pebble-memtable-flush": true}

// Create makes a file; see vfs.FS.
func (fs *pacedFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, category)
	if err != nil || !paced[category] {
		return f, err
	}
	return &pacedWriter{f, fs.pacer()}, nil
}

// Unwrap see vfs.FS.
func (fs *pacedFS) Unwrap() vfs.FS { return fs.FS }

// pacedWriter is a file that one goroutine writes, a block of a table at a time.
type pacedWriter struct {
	vfs.File
	pace func()
}

// Write writes when the pace allows.
func (f *pacedWriter) Write(p []byte) (int, error) {
	f.pace()
	return f.File.Write(p)
}
