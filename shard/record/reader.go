package record

// TokenReader reads the token records of one state of a shard. For one goroutine;
// Close it.
type TokenReader interface {
	// Read returns the record of a document, valid until the next call. Ascending
	// ordinals are the fast case. ok is false when there is no such document.
	Read(ord uint32) (t Tokens, ok bool, err error)
	Close() error
}
