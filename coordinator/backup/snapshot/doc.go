// Package snapshot takes a copy of the whole cluster into one file, and fills a
// new cluster from it, of whatever number of nodes (spec tasks-auth-ops-api 10.8
// and 15). The form is our own: nothing else can read it. A snapshot is taken
// faster than a dump and read much faster, because shards are copied as they are
// stored and nothing is indexed again.
//
// A snapshot leaves through Taker.Snapshot, the work of snapshotCreation tasks: no
// batch runs meanwhile, so the versions in the catalogue are those of the shards.
// It enters through Restore, before an empty cluster serves anything: the file is
// verified whole, then each shard is delivered to one node, from where others
// copy it, and the queue, the keys and the other values are put in place.
//
// The file is a zstd-compressed tar. A stream of bytes (the catalogue, a shard, a
// payload, the tasks) is cut into numbered parts of a few MiB, so that neither
// side needs to know its length; the last entry, the manifest, names the streams
// with their lengths and checksums.
//
//	catalogue/NNNNNNNN   msgpack of the catalogue record
//	shards/ID-N/...      one shard as shard.Host.SendCopy writes it
//	payloads/UID/...     the staged payload of an unfinished task
//	tasks/..., batches/  records, each uvarint length and msgpack
//	manifest.json
//
// Goroutines: none that outlive a call.
package snapshot
