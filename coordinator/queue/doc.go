// Package queue is the task queue as clients see it. It accepts writes and shows tasks and
// batches.
//
// Writer takes writes of the HTTP front, including streamed uploads. It adds tasks to the log,
// with payloads inline or staged as blobs. Each task has one request id, so that a repeated
// proposal never makes two tasks. Tasks answers questions about tasks and batches. Package
// schedule does the work. Safe for concurrent use; no goroutines. This package may import
// ingest, task and coordinator.
package queue
