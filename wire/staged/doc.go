// Package staged is the form of a payload between the upload and the build: what ingest
// writes, what log entries and blobs carry and what builders read.
//
// In come documents with their external ids, out come frames: slot, id and JSON, of all
// slots or of those that one shard owns. Both ends work as a stream, bounded by the
// largest document, and notice every changed byte. Vectors of a document travel from shard
// to shard as a member of its JSON.
//
// It imports wire only. Who reads or writes payloads imports it: coordinator and shard.
package staged
