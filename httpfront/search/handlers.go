package search

import (
	"context"

	"shoal/api"
	"shoal/api/settings"
)

// Handlers answer searches and conversations.
type Handlers struct {
	Search Search
	Chats  Chats
	// Completions is nil on nodes that hold no conversations.
	Completions Completions
	// Reranker is nil when no service is configured.
	Reranker Reranker
	Indexes  Indexes
}

// Indexes are what conversations need to know of indexes. Unknown names are
// apierr.IndexNotFound.
type Indexes interface {
	// Indexes lists the indexes that match the patterns (nil = all), by uid: those
	// of the page, and the number of all.
	Indexes(ctx context.Context, authorized []string, offset, limit uint64) (page []api.Index, total uint64, err error)
	// IndexSettings returns the effective settings: shared, not to be modified.
	IndexSettings(ctx context.Context, uid string) (*settings.Settings, error)
}
