package api

// NetworkPatch is the body of PATCH /network: maps merge, null removes (spec
// tasks-auth-ops-api 10.10).
type NetworkPatch struct {
	Self    Field[string]
	Leader  Field[string]
	Remotes Field[[]Entry[*RemotePatch]]
	Shards  Field[[]Entry[*ShardPatch]]
	// PreviousRemotes: the body held that reserved member.
	PreviousRemotes bool
}

// RemotePatch changes one remote; its members merge too.
type RemotePatch struct {
	URL, SearchAPIKey, WriteAPIKey Field[string]
}

// ShardPatch replaces, adds or removes the remotes of one shard.
type ShardPatch struct {
	Remotes, AddRemotes, RemoveRemotes Field[[]string]
}

// Webhook is one webhook; header values are in clear.
type Webhook struct {
	UUID     string
	Editable bool
	URL      string
	// Headers are sorted by name.
	Headers []Entry[string]
}

// WebhookPatch is the body of the routes that write a webhook. A null header
// removes it.
type WebhookPatch struct {
	URL     Field[string]
	Headers Field[[]Entry[*string]]
}

// ExportRequest is the body of POST /export (spec tasks-auth-ops-api 10.9).
type ExportRequest struct {
	URL         string
	APIKey      *string
	PayloadSize *uint64
	// Indexes are in the order of the body; `*` when it names none.
	Indexes []Entry[ExportIndex]
}

// ExportIndex says what is exported of the indexes that match a pattern. Filter
// is JSON as the client sent it, nil for none.
type ExportIndex struct {
	Filter           []byte
	OverrideSettings bool
}
