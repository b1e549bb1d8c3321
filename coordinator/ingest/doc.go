// Package ingest turns an upload into its staged form (staged.Writer) and
// learns its manifest on the way, in constant memory.
//
// In: documents as package payload reads them. Out: frames with slot and id, and
// a task.Manifest: counts, the primary key that was assumed, names of fields in
// first-seen order, distinct ids. A batch that assumed another key scans the
// frames again (Rescan). It knows no log; files are in the folder it is given and
// gone after Close. Not safe for concurrent use. May import task, payload and wire.
package ingest
