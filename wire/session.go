package wire

import "context"

// Session is one search on one source: a shard, or all shards of an index on one
// node, at one version. Not safe for concurrent use.
type Session interface {
	// Step answers one step of the driver.
	Step(ctx context.Context, s *SearchStep) (*SearchReply, error)
	// Close lets go of what the session holds; further calls do nothing.
	Close() error
}
