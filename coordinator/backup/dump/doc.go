// Package dump reads and writes the dumps of Meilisearch, format V6 (spec
// tasks-auth-ops-api 14): how data moves between that server and a cluster, in
// both directions, and from one cluster to another.
//
// A dump leaves through Dumper.Dump, the work of a dumpCreation task: no batch
// runs meanwhile, so that tasks, keys and documents are of one moment. It enters
// through Import, before an empty cluster serves anything: the file is verified
// from its first to its last byte before anything is changed, then indexes and
// settings are created, documents go through ingest and batches like any upload,
// and at last the queue, the keys and the cluster's other values are put in
// place. What fails is undone.
//
// Both stream: memory does not grow with documents or tasks, but for the uids of
// tasks and their batches (8 bytes each) and the records of enqueued tasks.
//
// Vocabulary:
//
//   - archive: the gzip file, walked as a sequence of entries in any order
//   - line: one record of a .jsonl entry
//   - form: how one kind of task is written, its parameters and its details
//   - contents: what a first walk learned of an archive
//
// Nothing here starts a goroutine that outlives its call.
package dump
