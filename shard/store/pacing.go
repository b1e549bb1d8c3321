package store

import "github.com/cockroachdb/pebble/v2/vfs"

// pacedFS is a file system that limits the pace of the store's background writes, by
// compactions and memtable flushes.
type pacedFS struct {
	vfs.FS
	pacer func() (pace func())
}

// paced are the write categories of such files.
var paced = map[vfs.DiskWriteCategory]bool{"pebble-compaction": true, "pebble-memtable-flush": true}

// Create creates a file; see vfs.FS.
func (fs *pacedFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, category)
	if err != nil || !paced[category] {
		return f, err
	}
	return &pacedWriter{f, fs.pacer()}, nil
}

// Unwrap implements vfs.FS.
func (fs *pacedFS) Unwrap() vfs.FS { return fs.FS }

// pacedWriter is a file written by one goroutine, one table block at a time.
type pacedWriter struct {
	vfs.File
	pace func()
}

// Write writes when the pace allows.
func (f *pacedWriter) Write(p []byte) (int, error) {
	f.pace()
	return f.File.Write(p)
}
