// Package staged defines the form of a payload between the upload and the build: ingest writes
// it, log entries and blobs carry it, and builders read it.
//
// Documents with their external ids become frames: slot, id and JSON. A reader gets all frames,
// or those of one shard's slots. Both ends are streams, bounded by the largest document, and
// detect every changed byte. Between shards, a member of the JSON carries the document's
// vectors.
//
// It imports wire only. Packages that read or write payloads import it, in coordinator and
// shard.
package staged
