// Package dump reads and writes the dumps of Meilisearch, format V6 (spec tasks-auth-ops-api
// 14). Dumps move data between that server and a cluster in both directions, and between
// clusters.
//
// Dumper.Dump writes a dump for a dumpCreation task. No batch runs meanwhile, so that tasks,
// keys and documents are consistent. Import reads a dump before an empty cluster serves
// anything. It verifies the whole file before anything changes. Then it creates indexes and
// settings, sends documents through ingest and batches like any upload, and finally writes the
// queue, the keys and the cluster's other values. A failed import is undone.
//
// Both stream. Memory does not grow with documents or tasks, except for the uids of tasks and
// their batches (8 bytes each) and the records of enqueued tasks.
//
// Vocabulary:
//
//   - archive: the gzip file, walked as a sequence of entries in any order
//   - line: one record of a .jsonl entry
//   - form: the written form of one kind of task, with its parameters and details
//   - contents: the findings of the first walk over an archive
//
// The package starts no goroutine that outlives a call.
package dump
