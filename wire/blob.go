package wire

// BlobChunk is one piece of a blob on its way between nodes. The first chunk of
// a transfer names the blob and its size; Last ends it.
type BlobChunk struct {
	ID   string `msgpack:"id"`
	Size int64  `msgpack:"sz"`
	Data []byte `msgpack:"d"`
	Last bool   `msgpack:"l"`
}

// BlobStored answers a finished transfer: the receiver has the blob on disk,
// under this stage epoch.
type BlobStored struct {
	Epoch uint64 `msgpack:"e"`
}

// BlobRequest asks a node for a blob it holds.
type BlobRequest struct {
	ID string `msgpack:"id"`
}
