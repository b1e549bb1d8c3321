// Package coordinator is the ground of everything that spans shards: the ports
// through which its rooms see the log, the catalogue, shards and blobs
// (ports.go), how an update is proposed (propose.go), and how far a restore has
// come (importing.go). It decides nothing.
//
// Out: interfaces, which node fulfils, and what every caller of the log does. May
// import wire and api only. Every room below may import it, never the reverse.
//
// The rooms, from the lowest floor up:
//
//   - task: the table of task kinds; fanout: calls to several shards at once;
//     pinning: rules that pin documents; score: what is said of a hit.
//   - driver: ranking over all sources; ingest: uploads to their staged form;
//     replica: copies of shards as one node sees them; placement: where copies
//     should live.
//   - merge: ranked lists of several queries as one; documents: reading documents
//     over shards; queue: the task queue as clients see it.
//   - search: one search on one index, with search/facets; admin: what clients
//     edit in the catalogue, and figures; schedule: batches on the leader; chat:
//     conversations with language models.
//   - federated: several searches as one, and other instances; backup/dump,
//     backup/snapshot, backup/export, backup/restore, and backup/repository, which
//     keeps snapshots in a backup/bucket.
//
// A search walks search, driver, (shards), search. A write walks queue, ingest,
// (the log); then on the leader schedule, (shards), (the log); and on every node
// replica. Words: a lane is the queue of one index; a batch is the tasks that are
// published together; a manifest is what ingest learned about a payload; a slot is
// the hash bucket of a document id, a shard a range of slots; in sync is a replica
// that holds every published version.
package coordinator
