package httpfront

import (
	"context"
	"io"

	"shoal/api"
	"shoal/api/settings"
	"shoal/wire"
)

// Ports are what the handlers need of the rest of the system. node joins them
// with the coordinator. All are safe for concurrent use; errors are *apierr.Error
// or conditions of wire (which become 503).
type Ports struct {
	Search   Search
	Tasks    Tasks
	Keys     Keys
	Features Features
	Network  Network
	Webhooks Webhooks
	Rules    Rules
	Chats    Chats
	// Completions is nil on nodes that hold no conversations.
	Completions Completions
	Stats       Stats
	Lease       Lease
	Logs        Logs
	Cluster     Cluster
	Probes      Probes
	DocumentPorts
}

// Search answers searches. Requests are fully decoded, results belong to the
// caller.
type Search interface {
	// Search answers one search. apierr.IndexNotFound when there is no such index.
	Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error)
	// SearchMany answers the queries of a non-federated multi-search on one cut
	// of the catalogue. On error failed is the position of the query at fault.
	SearchMany(ctx context.Context, queries []api.IndexQuery) (answers []*api.SearchResponse, failed int, err error)
	// Federated answers a federated multi-search; its errors name the query at
	// fault in their message already.
	Federated(ctx context.Context, r *api.FederatedRequest) (*api.FederatedResponse, error)
	// CheckFilters checks the filters of queries for what needs no index; failed
	// is the first query at fault. It comes before every other refusal.
	CheckFilters(queries []api.IndexQuery) (failed int, err error)
	FacetSearch(ctx context.Context, uid string, r *api.FacetSearchRequest) (*api.FacetSearchResponse, error)
	Similar(ctx context.Context, uid string, r *api.SimilarRequest) (*api.SimilarResponse, error)
}

// Tasks lists and manages tasks and batches. Every call first makes sure that
// this node has applied what was acknowledged anywhere.
type Tasks interface {
	Tasks(ctx context.Context, q *wire.TaskQuery) (*api.TaskPage, error)
	Batches(ctx context.Context, q *wire.TaskQuery) (*api.BatchPage, error)
	// Task returns nil when there is no such task or its index matches none of
	// the authorized patterns (nil = all).
	Task(ctx context.Context, uid uint32, authorized []string) (*api.Task, error)
	Batch(ctx context.Context, uid uint32, authorized []string) (*api.Batch, error)
	// Cancel and Delete enqueue a task over those that match the query now.
	// originalFilter is shown in its details ("?uids=1").
	Cancel(ctx context.Context, q *wire.TaskQuery, originalFilter string) (*api.TaskSummary, error)
	Delete(ctx context.Context, q *wire.TaskQuery, originalFilter string) (*api.TaskSummary, error)
	// Payload opens the documents of an enqueued or processing addition; nil when
	// the task has none.
	Payload(ctx context.Context, uid uint32) (io.ReadCloser, error)
	// Export, Dump and Snapshot enqueue a task of that kind.
	Dump(ctx context.Context) (*api.TaskSummary, error)
	Snapshot(ctx context.Context) (*api.TaskSummary, error)
	Export(ctx context.Context, r *api.ExportRequest) (*api.TaskSummary, error)
}

// Keys stores API keys.
type Keys interface {
	// Keys lists all keys, newest first. The slice is immutable and stays the
	// same one while no key changes.
	Keys() []*api.Key
	// Create stores a new key; api_key_already_exists when its uid is taken.
	// Dates are set by it.
	Create(ctx context.Context, k *api.Key) (*api.Key, error)
	// Update changes name and description; nil when there is no such key.
	Update(ctx context.Context, uid string, p *api.KeyPatch) (*api.Key, error)
	// Delete reports whether there was such a key.
	Delete(ctx context.Context, uid string) (bool, error)
}

// Features are the experimental features in force.
type Features interface {
	// Features is called on every request: it must not block.
	Features() settings.Features
	UpdateFeatures(ctx context.Context, p *settings.FeaturesPatch) (settings.Features, error)
}

// Network is the configuration of other instances.
type Network interface {
	Network() *api.Network
	UpdateNetwork(ctx context.Context, p *api.NetworkPatch) (*api.Network, error)
}

// Webhooks stores the webhooks. Listed are all, by uuid; header values are in
// clear and masked by the front.
type Webhooks interface {
	Webhooks() []api.Webhook
	CreateWebhook(ctx context.Context, p *api.WebhookPatch) (*api.Webhook, error)
	UpdateWebhook(ctx context.Context, uuid string, p *api.WebhookPatch) (*api.Webhook, error)
	DeleteWebhook(ctx context.Context, uuid string) error
}

// Stats are the figures of the instance and its indexes.
type Stats interface {
	// Stats covers the indexes that match the patterns (nil = all).
	Stats(ctx context.Context, authorized []string) (*api.Stats, error)
	// IndexStats is apierr.IndexNotFound when there is no such index.
	IndexStats(ctx context.Context, uid string) (*api.IndexStats, error)
	// TaskCounts are the counters of the metrics route.
	TaskCounts(ctx context.Context) (*api.TaskCounts, error)
	// Health is nil while the instance can serve.
	Health(ctx context.Context) error
}

// Lease tells what this node's state is worth.
type Lease interface {
	// Lease tells how fresh it is (coordinator.Log.Lease).
	Lease() (fresh bool, staleSeconds int)
	// Importing tells whether a dump or snapshot is being read into the cluster, so
	// that it holds a part of what it will. It is called on every request.
	Importing() bool
}

// Logs are the log lines of this node.
type Logs interface {
	// Stream copies lines that pass the target to w until ctx ends or Interrupt
	// is called; busy is true, and nothing was written, when another reader
	// streams already. flush is called after each line.
	Stream(ctx context.Context, target, mode string, w io.Writer, flush func()) (busy bool, err error)
	Interrupt()
	// SetTarget changes the level of the console log.
	SetTarget(target string)
}
