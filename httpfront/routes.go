package httpfront

import (
	"net/http"
	"slices"
	"sync"
)

// routes is the API, read from top to bottom. The rows of one path are in the
// order of its allow header.
func routes() []route {
	return slices.Concat(processRoutes(), searchRoutes(), taskRoutes(), keyRoutes(), backupRoutes(), featureRoutes(), networkRoutes(), webhookRoutes(), logRoutes(),
		renderRoutes(), chatRoutes(), rulesRoutes(), openAPIRoutes(), indexRoutes(), documentRoutes(), settingsRoutes(), clusterRoutes())
}

// openAPIRoutes is the row of the description of all rows, which is made when it is
// first asked for.
func openAPIRoutes() []route {
	described := sync.OnceValue(func() []byte { return openAPI(routes()) })
	return []route{{Method: "GET", Pattern: "/openapi.json", Serve: func(x *exchange) error {
		return x.respond(http.StatusOK, append(x.body[:0], described()...))
	}}}
}
