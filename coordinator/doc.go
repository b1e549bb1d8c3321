// Package coordinator is everything that spans shards: planning and driving a
// search, taking payloads in, forming batches, placing replicas.
//
// A search enters at Search and leaves as hits with their order, scores, facets
// and totals; a write enters at one of the Enqueue calls and leaves as a task
// whose batch the leader's Scheduler builds on the shards and publishes with one
// Commit. The package knows Log, Shards and Blobs (ports.go) and nothing of
// HTTP, Raft, pebble or sockets; node joins them.
package coordinator
