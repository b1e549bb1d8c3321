package httpfront

import (
	"net/http"
	"slices"
	"sync"
)

// routes is the API, read from top to bottom. The rows of one path are in the
// order of its allow header.
func routes(h handlers) []route {
	s, i, a := h.search, h.indexes, h.admin
	return slices.Concat(a.processRoutes(), s.searchRoutes(), a.taskRoutes(), a.keyRoutes(), a.backupRoutes(), a.featureRoutes(), a.networkRoutes(), a.webhookRoutes(), a.logRoutes(),
		i.renderRoutes(), s.chatRoutes(), a.rulesRoutes(), openAPIRoutes(h), i.indexRoutes(), i.documentRoutes(), i.settingsRoutes(), a.clusterRoutes())
}

// openAPIRoutes is the row of the description of all rows, which is made when it is
// first asked for.
func openAPIRoutes(h handlers) []route {
	described := sync.OnceValue(func() []byte { return openAPI(routes(h)) })
	return []route{{Method: "GET", Pattern: "/openapi.json", Serve: func(x *exchange) error {
		return x.respond(http.StatusOK, append(x.buffer(), described()...))
	}}}
}
