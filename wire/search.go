package wire

// SearchOpen starts a search session on one shard at one version.
type SearchOpen struct {
	Index PinnedIndex `msgpack:"x"`
	// DeadlineMillis is the remaining search budget when the message was sent.
	DeadlineMillis int64 `msgpack:"dl"`
}

// SearchStep is one instruction of the driver; exactly one member is set. The
// members are defined beside the step they start (search_*.go).
type SearchStep struct{}

// SearchReply is the answer to one step.
type SearchReply struct{}
