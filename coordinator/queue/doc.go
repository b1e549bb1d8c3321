// Package queue is the task queue as clients see it: it takes writes in and shows
// tasks and batches.
//
// In: writes of the HTTP front (Writer), uploads as streams among them, and
// questions about tasks (Tasks). Out: tasks in the log with their payloads inline
// or staged as blobs, under one request id each, so that a repeated proposal never
// makes two tasks; and public tasks and batches. It does none of the work (package
// schedule). Safe for concurrent use; no goroutines. May import ingest, task and
// coordinator.
package queue
