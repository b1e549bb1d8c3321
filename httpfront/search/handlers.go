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
	Reranker  Reranker
	Indexes   Indexes
	Analytics Analytics
}

// Analytics counts what is searched for. Its methods do not block.
type Analytics interface {
	// Searched counts an answered search. It may change s, and keeps no reference to it.
	Searched(s *api.CountedSearch)
	// QueryUID returns a uid for the answer to a query, by which clients tell of clicks.
	QueryUID() (string, error)
}

// Indexes tells conversations about indexes. For unknown names it returns
// apierr.IndexNotFound.
type Indexes interface {
	// Indexes lists a page of the indexes that match the patterns (nil = all), by uid, and
	// their total number.
	Indexes(ctx context.Context, authorized []string, offset, limit uint64) (page []api.Index, total uint64, err error)
	// IndexSettings returns the effective settings. They are shared and must not be
	// modified.
	IndexSettings(ctx context.Context, uid string) (*settings.Settings, error)
}
