// Package restore contains what reading a dump and reading a snapshot have in common: it fills
// an empty cluster step by step while nothing is served from it, and empties it again when a
// step fails.
//
// Begin opens a Session. It waits until the cluster accepts writes, undoes the remains of an
// interrupted session, refuses a cluster that holds anything, and sets
// coordinator.ImportDocuments. The caller writes indexes and documents, replaces the queue
// (ClearQueue, Task, Batch, Flush), and ends with Finish or Undo. The phase in the catalogue
// always tells the state of the import, even after a crash.
//
// The package starts no goroutine. A Session is not safe for concurrent use.
package restore
