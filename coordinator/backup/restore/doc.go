// Package restore is what reading a dump and reading a snapshot have in common:
// an empty cluster is filled step by step while nothing is served from it, and
// emptied again when a step fails.
//
// A Session enters with Begin, which waits until the cluster can be written to,
// undoes what a stopped session left behind, refuses a cluster that holds
// anything, and shows coordinator.ImportDocuments. The caller writes indexes and
// documents, replaces the queue (ClearQueue, Task, Batch, Flush), and leaves with
// Finish, or with Undo. The phase in the catalogue says at any moment what is
// there; it survives a crash.
//
// Nothing here starts a goroutine. A Session is not safe for concurrent use.
package restore
