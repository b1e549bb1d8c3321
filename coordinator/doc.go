// Package coordinator is the base of everything that spans shards. It declares the ports
// through which the packages below see the log, the catalogue, shards and blobs (ports.go). It
// also proposes updates (propose.go) and keeps the progress of an import (importing.go). It
// decides nothing.
//
// The node package implements the interfaces. This package may import wire and api only. Every
// package below may import it, never the reverse.
//
// The packages, from the lowest layer up:
//
//   - task: the table of task kinds; fanout: calls to several shards at once; pinning: rules
//     that pin documents; score: the score details of a hit.
//   - driver: ranking over all sources; ingest: uploads to their staged form; replica: copies
//     of shards as one node sees them; placement: where copies should live.
//   - merge: merges the ranked lists of several queries; documents: reads documents over
//     shards; queue: the task queue as clients see it.
//   - search: one search on one index, with search/facets; admin: what clients edit in the
//     catalogue, and statistics; schedule: batches on the leader; chat: conversations with
//     language models.
//   - federated: several searches merged into one answer, and other instances; backup/dump,
//     backup/snapshot, backup/export, backup/restore, and backup/repository, which keeps
//     snapshots in a backup/bucket.
//
// A search passes through search, driver, the shards, and search again. A write passes through
// queue, ingest and the log; then on the leader through schedule, the shards and the log; and
// on every node through replica.
//
// Terms: a lane is the queue of one index. A batch is the tasks that are published together. A
// manifest is what ingest learned about a payload. A slot is the hash bucket of a document id;
// a shard is a range of slots. A replica is in sync when it holds every published version.
package coordinator
