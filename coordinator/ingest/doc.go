// Package ingest turns an upload into its staged form (staged.Writer) and collects its
// manifest, in constant memory.
//
// It takes documents from package payload. It writes frames with slot and id, and returns a
// task.Manifest: counts, the assumed primary key, names of fields in first-seen order, the
// number of distinct ids. When a batch needs another key, Rescan reads the frames again. The
// package does not know the log. Its files are in the given folder and are removed by Close.
// Not safe for concurrent use. It may import task, payload and wire.
package ingest
