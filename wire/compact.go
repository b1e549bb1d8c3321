package wire

// CompactRequest asks a node to rewrite what it stores of an index without what
// is dead in it.
type CompactRequest struct {
	IndexID uint32 `msgpack:"i"`
}

// CompactReply tells the bytes on the node's disk before and after.
type CompactReply struct {
	Before uint64 `msgpack:"b"`
	After  uint64 `msgpack:"a"`
}
