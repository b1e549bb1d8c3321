package httpfront

import (
	"shoal/httpfront/admin"
	"shoal/httpfront/routing"
	"shoal/httpfront/search"
)

// Analytics counts searches, and reports on them.
type Analytics interface {
	admin.Analytics
	search.Analytics
}

// Ports are the interfaces through which handlers use the rest of the system. node connects
// them to the coordinator. All are safe for concurrent use. Their errors are *apierr.Error
// or conditions of wire (which become 503).
type Ports struct {
	Search   search.Search
	Tasks    admin.Tasks
	Streams  admin.Streams
	Keys     admin.Keys
	Features admin.Features
	Network  admin.Network
	Webhooks admin.Webhooks
	Rules    admin.Rules
	Chats    search.Chats
	// Reranker is nil when searches cannot be personalized.
	Reranker search.Reranker
	// Completions is nil on nodes that hold no conversations.
	Completions search.Completions
	Stats       admin.Stats
	Lease       routing.Lease
	Logs        admin.Logs
	Cluster     admin.Cluster
	Probes      admin.Probes
	SlowLog     admin.SlowLog
	Analytics   Analytics
	Aliases     admin.Aliases
	DocumentPorts
}
