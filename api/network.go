package api

import "shoal/api/decode"

// NetworkPatch is the body of PATCH /network. Maps are merged, null removes (spec
// tasks-auth-ops-api 10.10).
type NetworkPatch struct {
	Self    decode.Field[string]
	Leader  decode.Field[string]
	Remotes decode.Field[[]decode.Entry[*RemotePatch]]
	Shards  decode.Field[[]decode.Entry[*ShardPatch]]
	// PreviousRemotes: the body had the reserved member of this name.
	PreviousRemotes bool
}

// RemotePatch changes one remote; its members merge too.
type RemotePatch struct {
	URL, SearchAPIKey, WriteAPIKey decode.Field[string]
}

// ShardPatch replaces, adds or removes the remotes of one shard.
type ShardPatch struct {
	Remotes, AddRemotes, RemoveRemotes decode.Field[[]string]
}

// Webhook is one webhook; header values are in clear.
type Webhook struct {
	UUID     string
	Editable bool
	URL      string
	// Headers are sorted by name.
	Headers []decode.Entry[string]
}

// WebhookPatch is the body of the routes that write a webhook. A null header
// removes it.
type WebhookPatch struct {
	URL     decode.Field[string]
	Headers decode.Field[[]decode.Entry[*string]]
}

// ExportRequest is the body of POST /export (spec tasks-auth-ops-api 10.9).
type ExportRequest struct {
	URL         string
	APIKey      *string
	PayloadSize *uint64
	// Indexes are in the order of the body, or `*` if the body names none.
	Indexes []decode.Entry[ExportIndex]
}

// ExportIndex says how indexes that match a pattern are exported. Filter is JSON as the
// client sent it, nil for none.
type ExportIndex struct {
	Filter           []byte
	OverrideSettings bool
}
