package httpfront

import (
	"net/http"
	"slices"
	"sync"

	"shoal/httpfront/openapi"
	"shoal/httpfront/routing"
)

// routes is the API, read from top to bottom. The rows of one path are in the order of its
// Allow header.
func routes(h handlers) []routing.Route {
	return slices.Concat(apiRoutes(h), h.mcp.Routes(), openAPIRoutes(h))
}

// apiRoutes are the rows that can be offered as tools of mcp.
func apiRoutes(h handlers) []routing.Route {
	s, i, a := h.search, h.indexes, h.admin
	return slices.Concat(a.ProcessRoutes(), s.SearchRoutes(), a.TaskRoutes(), a.KeyRoutes(), a.BackupRoutes(), a.FeatureRoutes(), a.NetworkRoutes(), a.WebhookRoutes(), a.LogRoutes(),
		i.RenderRoutes(), s.ChatRoutes(), a.RulesRoutes(), i.IndexRoutes(), i.DocumentRoutes(), i.SettingsRoutes(), a.ClusterRoutes(), a.EventRoutes())
}

// openAPIRoutes is the row that describes all rows. The description is made on its first
// request.
func openAPIRoutes(h handlers) []routing.Route {
	described := sync.OnceValue(func() []byte { return openapi.Describe(routes(h)) })
	return []routing.Route{{Method: "GET", Pattern: "/openapi.json", Serve: func(x *routing.Exchange) error {
		return x.Respond(http.StatusOK, append(x.Buffer(), described()...))
	}}}
}
