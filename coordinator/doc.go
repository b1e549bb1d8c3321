// Package coordinator is everything that spans shards: planning and driving a
// search, taking payloads in, forming batches, placing replicas.
//
// A search enters at Search and leaves as hits with their order, scores, facets
// and totals; a write enters at one of the Writer's calls and leaves as a task
// whose batch the leader's Scheduler builds on the shards and publishes with one
// Commit. The package knows Log, Shards and Blobs (ports.go) and nothing of
// HTTP, Raft, pebble or sockets; node joins them.
//
// The write path, file by file: ingest.go reads an upload in constant memory and
// stages it (payload_scan.go learns its manifest meanwhile); writer.go appends
// the task. On the leader scheduler.go starts what may run: backlog.go keeps the
// queues, one lane per index; batch.go folds the first tasks of a lane into a
// batch. A run (run.go) is one batch on its way: run_*.go plan it by kind,
// plan_key.go decides primary key, failing tasks and field ids, build.go lets one
// replica per shard compute the delta, run.go commits. follower.go brings each
// node's replicas to what was published, balancer.go decides where replicas
// live, reshard.go changes the number of shards.
//
// Vocabulary: a lane is the queue of one index; a batch is the tasks that are
// published together; a manifest is what ingest learned about a payload; a slot
// is the hash bucket of a document id, a shard a range of slots; in sync is a
// replica that holds every published version.
//
// Goroutines: Scheduler.Run, Balancer.Run and Follower.Run are one loop each,
// owned by node; a scheduler adds one goroutine per running batch and ends them
// with its term, a follower one per shard that is being fetched. What asks several
// shards or instances (fanout, NetworkSearch) has one for each until it returns.
package coordinator
