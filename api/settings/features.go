package settings

// Features are the experimental features, in the order of the answer (spec
// tasks-auth-ops-api 10.5).
type Features struct {
	Metrics                    bool `json:"metrics"`
	LogsRoute                  bool `json:"logsRoute"`
	EditDocumentsByFunction    bool `json:"editDocumentsByFunction"`
	ContainsFilter             bool `json:"containsFilter"`
	DynamicSearchRules         bool `json:"dynamicSearchRules"`
	Network                    bool `json:"network"`
	GetTaskDocumentsRoute      bool `json:"getTaskDocumentsRoute"`
	TaskQueueCompactionRoute   bool `json:"taskQueueCompactionRoute"`
	CompositeEmbedders         bool `json:"compositeEmbedders"`
	ChatCompletions            bool `json:"chatCompletions"`
	Multimodal                 bool `json:"multimodal"`
	ForeignKeys                bool `json:"foreignKeys"`
	DisableDocumentsFetchQueue bool `json:"disableDocumentsFetchQueue"`
	LegacySearch               bool `json:"legacySearch"`
	RenderRoute                bool `json:"renderRoute"`
	// Since 1.52.
	TasksStreamingRoute bool `json:"tasksStreamingRoute,omitzero"`
	// Since 1.54.
	MCPRoute bool `json:"mcpRoute,omitzero"`
}

// NewerFeatures is the answer of version 1.57. The answer of 1.50 shows later features only
// while they are on.
type NewerFeatures struct {
	Features
	TasksStreamingRoute bool `json:"tasksStreamingRoute"`
	MCPRoute            bool `json:"mcpRoute"`
}

// Newer returns the answer of 1.57.
func (f Features) Newer() NewerFeatures {
	return NewerFeatures{Features: f, TasksStreamingRoute: f.TasksStreamingRoute, MCPRoute: f.MCPRoute}
}

// FeaturesPatch is the body of PATCH /experimental-features; nil is unchanged.
type FeaturesPatch struct {
	Metrics, LogsRoute, EditDocumentsByFunction, ContainsFilter, DynamicSearchRules, Network, GetTaskDocumentsRoute,
	TaskQueueCompactionRoute, CompositeEmbedders, ChatCompletions, Multimodal, ForeignKeys,
	DisableDocumentsFetchQueue, LegacySearch, RenderRoute, TasksStreamingRoute, MCPRoute *bool
}

// Apply returns the features with the patch laid over them.
func (f Features) Apply(p *FeaturesPatch) Features {
	set := func(to *bool, from *bool) {
		if from != nil {
			*to = *from
		}
	}
	set(&f.Metrics, p.Metrics)
	set(&f.LogsRoute, p.LogsRoute)
	set(&f.EditDocumentsByFunction, p.EditDocumentsByFunction)
	set(&f.ContainsFilter, p.ContainsFilter)
	set(&f.DynamicSearchRules, p.DynamicSearchRules)
	set(&f.Network, p.Network)
	set(&f.GetTaskDocumentsRoute, p.GetTaskDocumentsRoute)
	set(&f.TaskQueueCompactionRoute, p.TaskQueueCompactionRoute)
	set(&f.CompositeEmbedders, p.CompositeEmbedders)
	set(&f.ChatCompletions, p.ChatCompletions)
	set(&f.Multimodal, p.Multimodal)
	set(&f.ForeignKeys, p.ForeignKeys)
	set(&f.DisableDocumentsFetchQueue, p.DisableDocumentsFetchQueue)
	set(&f.LegacySearch, p.LegacySearch)
	set(&f.RenderRoute, p.RenderRoute)
	set(&f.TasksStreamingRoute, p.TasksStreamingRoute)
	set(&f.MCPRoute, p.MCPRoute)
	return f
}
