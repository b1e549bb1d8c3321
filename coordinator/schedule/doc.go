// Package schedule forms batches on the leader and runs them, one at a time per index,
// different indexes in parallel.
//
// The input is the pending tasks of the log. backlog.go keeps the queues, one lane per index.
// scheduler.go starts what may run. Package fold folds the first tasks of a lane into a batch. A
// batchRun (batch_run.go) is one batch at work. documents.go, settings.go, index.go, queue.go
// and embedders.go plan it by kind. primary_key.go and ordinals.go decide what all shards must
// agree on. build.go has one copy of each shard compute the delta. The output is one Commit,
// which publishes the next version on all shards and finishes the tasks. reshard.go changes the
// number of shards. progress.go and waiting.go report the progress of a batch and the reason
// for a wait. Package expiry enqueues deletions of documents that have expired.
//
// Scheduler.Run is one loop, owned by node. It has one goroutine per running batch and ends
// them with its term. This package may import documents, placement, replica, ingest, task,
// fanout, the packages below them and its own folders.
package schedule
