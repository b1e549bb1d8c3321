// Package schedule forms batches on the leader and carries them out, one at a time
// per index, different indexes in parallel.
//
// In: pending tasks of the log. scheduler.go starts what may run: backlog.go keeps
// the queues, one lane per index; batch.go folds the first tasks of a lane into a
// batch. A batchRun (batch_run.go) is one batch on its way: documents.go,
// settings.go, index.go, queue.go and embedders.go plan it by kind; primary_key.go
// and ordinals.go decide what all shards must agree on; build.go lets one copy of
// each shard compute the delta. Out: one Commit, which publishes the next version
// on all shards and finishes the tasks. reshard.go changes the number of shards;
// progress.go and waiting.go say how far a batch is and what it waits for.
//
// Scheduler.Run is one loop, owned by node; it has one goroutine per running batch
// and ends them with its term. May import documents, placement, replica, ingest,
// task, fanout and what lies below.
package schedule
