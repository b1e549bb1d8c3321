package wire

// BlobChunk is one piece of a blob in transfer between nodes. The first chunk of a transfer
// names the blob and its size; Last ends it.
type BlobChunk struct {
	ID   string `msgpack:"id"`
	Size int64  `msgpack:"sz"`
	Data []byte `msgpack:"d"`
	Last bool   `msgpack:"l"`
}

// BlobStored answers a finished transfer: the receiver has the blob on disk, under this stage
// epoch.
type BlobStored struct {
	Epoch uint64 `msgpack:"e"`
}

// BlobRequest asks a node for a blob it holds.
type BlobRequest struct {
	ID string `msgpack:"id"`
}

// CopyRequest asks a replica for what another one lacks: one delta or (Whole) the shard at the
// given version or a newer one. The answer is a stream of BlobChunk in the form that the
// requester's store reads.
type CopyRequest struct {
	Ref     PendingRef `msgpack:"r"`
	Whole   bool       `msgpack:"w"`
	Version uint64     `msgpack:"v"`
}

// Missing names what a replica lacks to reach the newest version of its shard.
type Missing struct {
	Key ShardKey
	// Deltas must be fetched, oldest first. Empty means that the deltas in the catalogue do not
	// lead on from the replica's state; it must be copied.
	Deltas []PendingRef
	// Damaged describes the damage of the local data, which is useless. A copy replaces it.
	Damaged string
}

// CompactRequest asks a node to rewrite its data of an index without dead parts.
type CompactRequest struct {
	IndexID uint32 `msgpack:"i"`
}

// CompactReply has the bytes on the node's disk before and after.
type CompactReply struct {
	Before uint64 `msgpack:"b"`
	After  uint64 `msgpack:"a"`
}
