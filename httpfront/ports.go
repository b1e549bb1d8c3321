package httpfront

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
