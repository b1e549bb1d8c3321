package record

// TokenReader reads the token records of one state of a shard. For one goroutine. The
// caller must Close it.
type TokenReader interface {
	// Read returns the record of a document, valid until the next call. Ascending
	// ordinals are fastest. ok is false if there is no such document.
	Read(ord uint32) (t Tokens, ok bool, err error)
	Close() error
}
