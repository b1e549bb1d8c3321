package wire

// ListRequest reads documents of one shard in listing order (ordinal, or Sort).
type ListRequest struct {
	Index  PinnedIndex `msgpack:"x"`
	IDs    []string    `msgpack:"ids"`
	HasIDs bool        `msgpack:"hi"`
	Filter []byte      `msgpack:"f"` // JSON as the client sent it
	Sort   []string    `msgpack:"s"`
	Limit  int         `msgpack:"l"` // offset+limit of the client
	// Fields restricts the members read; nil = all. Names as the client sent.
	Fields          []string `msgpack:"fl"`
	RetrieveVectors bool     `msgpack:"rv"`
	CountOnly       bool     `msgpack:"co"`
}

// ListReply holds the shard's first Limit documents and the number of all that
// match.
type ListReply struct {
	Total     uint64     `msgpack:"t"`
	Documents []Document `msgpack:"d"`
}

// Document is one stored document: JSON object bytes with members in field-id
// order, its ordinal, and for sorted lists the comparable sort key.
type Document struct {
	Ordinal uint32 `msgpack:"o"`
	SortKey []byte `msgpack:"k"`
	JSON    []byte `msgpack:"j"`
}
