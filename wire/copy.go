package wire

// CopyRequest asks a replica for what another one lacks: one delta, or (Whole)
// the shard as it is at a version or newer. The answer is a stream of BlobChunk
// in the form that the requester's store takes in.
type CopyRequest struct {
	Ref     PendingRef `msgpack:"r"`
	Whole   bool       `msgpack:"w"`
	Version uint64     `msgpack:"v"`
}
