// Package snapshot copies the whole cluster into one file or repository, and fills a new
// cluster from it, with any number of nodes (spec tasks-auth-ops-api 10.8 and 15). Only Shoal
// reads the form. A snapshot is faster than a dump, to take and above all to read, because
// shards are copied as they are stored and nothing is indexed again.
//
// Taker.Snapshot takes a snapshot for a snapshotCreation task. No batch runs meanwhile, so the
// catalogue has the versions of the shards. Restore reads a snapshot before an empty cluster
// serves anything. It verifies the whole file. Then it delivers each shard to one node, from
// which other nodes copy it, and stores the queue, the keys and the other values.
//
// The file is a zstd-compressed tar. A stream of bytes (the catalogue, a shard, a payload, the
// tasks) is cut into numbered parts of a few MiB, so that neither side needs to know its
// length. The last entry, the manifest, lists the streams with their lengths and checksums.
//
//	catalogue/NNNNNNNN   msgpack of the catalogue record
//	shards/ID-N/...      one shard as shard.Copies.SendCopy writes it
//	payloads/UID/...     the staged payload of an unfinished task
//	tasks/..., batches/  records, each uvarint length and msgpack
//	manifest.json
//
// The package starts no goroutine that outlives a call.
package snapshot
